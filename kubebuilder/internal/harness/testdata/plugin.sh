#!/bin/sh
request=$(cat)
get() { printf '%s' "$request" | jq -r "$1"; }
command=$(get .command)

answer() {
  printf '%s' "$request" | jq --argjson more "$1" '{apiVersion, command, universe: {}} + $more'
  exit 0
}

refuse() { answer "$(jq -n --arg text "$1" '{error: true, errorMsgs: [$text]}')"; }

case $command in
flags) answer '{"flags": [{"Name": "kind", "Type": "string", "Default": "none", "Usage": "kind of the sample"}]}' ;;
metadata) answer '{"metadata": {"Description": "Makes a sample.", "Examples": ""}}' ;;
init | 'create api' | 'create webhook' | edit) ;;
*) refuse 'unknown command' ;;
esac

eval "set -- $(get '.args // [] | @sh')"
kind=none
while [ $# -gt 0 ]; do
  case $1 in
  --kind=*) kind=${1#*=} ;;
  --kind) kind=$2; shift ;;
  --group=* | --version=*) ;;
  --group | --version) shift ;;
  *) ;; # of another plugin, or its value
  esac
  shift
done
case $kind in *[!a-zA-Z0-9]*) refuse 'the kind must be a name' ;; esac

answer "$(printf '%s' "$request" | jq --arg name "$(printf '%s' "$command" | tr ' ' -)/$kind.txt" \
  'if .universe[$name] == "sample\n" then {} else {universe: {($name): "sample\n"}} end')"
