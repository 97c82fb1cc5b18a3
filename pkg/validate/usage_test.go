package validate_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/resource-plugins/krm-functions/pkg/krm"
	"github.com/resource-plugins/krm-functions/pkg/validate"
)

// usage returns the findings about the only step of a plugin, given an input, an output and a script.
func usage(t *testing.T, options validate.Options, input, output, script string) []string {
	t.Helper()
	return lines(t, options, edited(t, aPlugin, "-spec.delete\n-spec.runner.podTemplateOverlay\nspec.create: [{name: make}]",
		"spec.create[0].inputs: ["+input+"]", "spec.create[0].outputs: [{name: bucket, valueFromPath: "+output+"}]",
		"spec.create[0].script: "+strconv.Quote(script)))
}

const (
	region    = "{name: region, valueFromSandbox: true}"
	awsRegion = "{name: region, valueFromSandbox: true, as: {env: AWS_REGION}}"
	dbURL     = "{name: database-url, valueFromSandbox: true}"
	regionAt  = "{name: region, valueFromSandbox: true, as: {path: /inputs/region}}"
)

func TestScriptsThatDoNotUseTheirInputsAndOutputs(t *testing.T) {
	t.Parallel()
	const unwritten = "warning output-unwritten spec.create[0].outputs[0].valueFromPath: no line of the script names "
	const unread = "warning input-unread spec.create[0].inputs[0]: input "
	for _, c := range []struct {
		input, output, script string
		want                  string
	}{
		{"", "/outputs/bucket", "#!/bin/sh\necho b > /outputs/bukcet\n", unwritten + `"/outputs/bucket": write the output there`},
		{"", "/outputs/bucket", "#!/bin/sh\nmkdir -p /outputs\necho b > /tmp/bucket\n", unwritten + `"/outputs/bucket": write the output there`},
		{"", "/outputs/bucket", "#!/bin/sh\naws s3 mb s3://b\n", unwritten + `"/outputs/bucket": write the output there`},
		{"", "/tmp/bucket", "#!/usr/bin/env python3\nopen('/tmp/buckets', 'w')\n", unwritten + `"/tmp/bucket": write the output there`},
		{
			region, "/tmp/bucket", "#!/bin/sh\naws --region $AWS_REGION s3 mb s3://b\necho b > /tmp/bucket\n",
			unread + `"region" is never read ($REGION): the script reads $AWS_REGION, which nothing sets`,
		},
		{
			awsRegion, "/tmp/bucket", "#!/bin/sh\naws --region $REGION s3 mb s3://b\necho b > /tmp/bucket\n",
			unread + `"region" is never read ($AWS_REGION): the script reads $REGION, which nothing sets`,
		},
		{
			region, "/tmp/bucket", "#!/bin/sh\naws s3 mb s3://$SIGNADOT_SANDBOX_ID\necho b > /tmp/bucket\n",
			unread + `"region" is never read ($REGION): read it in the script, or remove it`,
		},
		{
			regionAt, "/tmp/bucket", "#!/bin/sh\naws s3 mb s3://$SIGNADOT_SANDBOX_ID\necho b > /tmp/bucket\n",
			unread + `"region" is never read (/inputs/region): read it in the script, or remove it`,
		},
		{
			region, "/tmp/bucket", "#!/bin/bash\nexec 3<>/dev/tcp/$HOST/80 2>&1\necho b > /tmp/bucket\n",
			unread + `"region" is never read ($REGION): read it in the script, or remove it`,
		},
	} {
		assert.Equal(t, []string{c.want}, usage(t, validate.Options{}, c.input, c.output, c.script), c.script)
	}
	off := validate.Options{Rules: map[string]string{"input-unread": "off", "output-unwritten": "off"}}
	assert.Empty(t, usage(t, off, region, "/tmp/bucket", "#!/bin/sh\necho $A > /tmp/b\n"))
}

// Inputs and outputs that a script may use without their names are not reported.
func TestScriptsThatMayUseTheirInputsAndOutputs(t *testing.T) {
	t.Parallel()
	const written = "echo b > /tmp/bucket\n"
	embedded := validate.Options{Rules: map[string]string{"script-interpreter": "off"}}
	for _, c := range []struct{ input, output, script string }{
		{"", "/outputs/bucket", "#!/bin/sh\nmkdir -p /outputs && cd /outputs\necho b > bucket\n"},
		{"", "/outputs/bucket", "#!/bin/bash\nOUT=/outputs\necho b > \"$OUT/bucket\"\n"},
		{"", "/outputs/bucket", "#!/bin/bash\nfor key in $(jq -r keys out.json); do jq -r .$key out.json > /outputs/$key; done\n"},
		{"", "/outputs/bucket", "#!/bin/sh\ncp out/* /outputs/\n"},
		{"", "/outputs/bucket", "#!/bin/sh\nterraform output -raw bucket | tee \"${OUTPUTS}/bucket\"\n"},
		{"", "/outputs/bucket", "#!/bin/sh\n/plugin/bin/provision $SIGNADOT_SANDBOX_ID\n"},
		{"", "/outputs/bucket", "#!/bin/sh\nexec provision\n"},
		{"", "/outputs/bucket", "#!/bin/bash\nsource ./lib.sh\nwrite_outputs\n"},
		{"", "/outputs/bucket", "#!/bin/bash\npython3 <<'EOF'\nimport plugin\nplugin.run()\nEOF\n"},
		{"", "/outputs/bucket", "#!/usr/bin/env python3\nfor k, v in made.items():\n    open(f'/outputs/{k}', 'w').write(v)\n"},
		{"", "/outputs/bucket", "#!/usr/bin/env python3\n(Path(os.environ['OUT']) / 'bucket').write_text(name)\n"},
		{"", "/outputs/bucket", "#!/bin/sh\n# nothing yet\n"},
		{"", "/outputs/bucket", "@{embed: ./provision.sh}"},
		// read directly by the program
		{awsRegion, "/tmp/bucket", "#!/bin/bash\naws s3 mb s3://$SIGNADOT_SANDBOX_ID\n" + written},
		{"{name: bucket, valueFromSandbox: true, as: {env: TF_VAR_bucket}}", "/tmp/bucket", "#!/bin/sh\nterraform apply -var id=$SIGNADOT_SANDBOX_ID\n" + written},
		{"{name: pgpassword, valueFromSandbox: true}", "/tmp/bucket", "#!/bin/sh\npsql -h $HOST -c 'CREATE DATABASE x'\n" + written},
		{dbURL, "/tmp/bucket", "#!/bin/sh\ndbmate --env-file $SIGNADOT_SANDBOX_ID up\n" + written},
		{"{name: config, valueFromSandbox: true, as: {path: /root/.kube/config}}", "/tmp/bucket", "#!/bin/sh\nkubectl -n $NS get pods\n" + written},
		// possibly passed on
		{region, "/tmp/bucket", "#!/bin/sh\nenv | grep -v $SIGNADOT_SANDBOX_ID\n" + written},
		{region, "/tmp/bucket", "#!/bin/sh\nenvsubst < job.yaml | kubectl apply -n $NS -f -\n" + written},
		{region, "/tmp/bucket", "#!/bin/bash\nname=REGION\necho ${!name} ${!REG*}\n" + written},
		{region, "/tmp/bucket", "#!/bin/bash\nnode create.js $SIGNADOT_SANDBOX_ID\n" + written},
		{region, "/tmp/bucket", "#!/usr/bin/env python3\nimport os\nprint({**os.environ})\nopen('/tmp/bucket')\n"},
		{region, "/tmp/bucket", "#!/usr/bin/env python3\nimport os\nprint(os.environ['REGION'])\nopen('/tmp/bucket')\n"},
		{region, "/tmp/bucket", "#!/bin/sh\ncreate-bucket\n" + written},
		{region, "/tmp/bucket", "#!/bin/sh\nexec create-bucket $SIGNADOT_SANDBOX_ID 2>&1\n" + written},
		{regionAt, "/tmp/bucket", "#!/bin/sh\nfor f in /inputs/*; do cat $f; done\n" + written},
		{regionAt, "/tmp/bucket", "#!/bin/sh\ncd /inputs && cat region\n" + written},
	} {
		assert.Empty(t, usage(t, embedded, c.input, c.output, c.script), c.script)
	}
}

func TestScriptsWithoutTheirLineBreaks(t *testing.T) {
	t.Parallel()
	const lost, folded = `the script has lost its line breaks: use "script: |"`, `the script is folded into one line: use "script: |"`
	for text, want := range map[string]string{
		"script: >\n  #!/bin/sh\n  echo a\n":            folded,
		"script: >-\n  #!/bin/sh -e\n  echo a\n\n  b\n": folded,
		"script:\n  #!/bin/sh\n  echo a\n  echo b\n":    lost,
		"script: #!/bin/sh\n  echo a\n  echo b\n":       lost,
		"script: #!/bin/sh\n":                           lost,
		"script: \"#!/bin/bash -e\n  echo a\"\n":        lost,
		"script: \"#!/usr/bin/env bash\n  set -e\"\n":   lost,
		"script: |\n  #!/bin/sh\n  echo a\n":            "",
		"script: >\n  #!/bin/sh\n\n  echo a\n":          "",
		"script: \"#!/usr/bin/env -S deno run\"\n":      "",
		"script: \"#!/bin/bash -eu\"\n":                 "",
	} {
		root := edited(t, aPlugin, "-spec.delete\nspec.create: []")
		steps, _ := krm.Path("spec.create").Find(root)
		steps.Content = append(steps.Content, parsed(t, "name: make\n"+text))
		got := check(t, root)
		if want == "" {
			assert.Empty(t, got, text)
		} else {
			assert.Equal(t, []string{"error script-lines spec.create[0].script: " + want}, got, text)
		}
	}
}
