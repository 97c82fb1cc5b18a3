package renderdiff

import (
	"errors"

	"github.com/resource-plugins/krm-functions/internal/diagram"
)

// Draw draws the plugins.
func (r *Report) Draw(format diagram.Format) ([]byte, error) {
	return nil, errors.New(string(format))
}
