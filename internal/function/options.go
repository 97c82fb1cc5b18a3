package function

import (
	"errors"

	"github.com/resource-plugins/krm-functions/internal/cli"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// reportOptions reports the options that cannot be used, as wrong values of the config. It returns false if err is
// something else.
func reportOptions(call cli.Call, err error) bool {
	var wrong krm.OptionErrors
	if !errors.As(err, &wrong) {
		return false
	}
	for _, one := range wrong {
		call.ConfigError(one.Option, one.Message)
	}
	return true
}
