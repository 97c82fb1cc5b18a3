#!/usr/bin/python3
import argparse, json, sys


class Refused(Exception):
    pass


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Refused(message)


def write(request):
    parser = Parser(add_help=False, allow_abbrev=False)
    for flag in ("kind", "group", "version"):
        parser.add_argument("--" + flag, default="none")
    kind = parser.parse_known_args(request.get("args") or [])[0].kind  # other flags may be of other plugins
    if not kind.isalnum():
        raise Refused(f"the kind must be a name, not {kind!r}")
    name = request["command"].replace(" ", "-") + "/" + kind + ".txt"
    content = "sample\n"
    return {} if (request.get("universe") or {}).get(name) == content else {name: content}


def main():
    request = json.load(sys.stdin)
    response = {"apiVersion": request["apiVersion"], "command": request["command"], "universe": {}}
    try:
        if request["command"] == "flags":
            response["flags"] = [{"Name": "kind", "Type": "string", "Default": "none", "Usage": "kind of the sample"}]
        elif request["command"] == "metadata":
            response["metadata"] = {"Description": "Makes a sample.", "Examples": ""}
        elif request["command"] in ("init", "create api", "create webhook", "edit"):
            response["universe"] = write(request)
        else:
            raise Refused("unknown command")
    except Refused as refused:
        response.update(error=True, errorMsgs=[str(refused)])
    json.dump(response, sys.stdout)


main()
