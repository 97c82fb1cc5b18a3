package render

import (
	"github.com/resource-plugins/krm-functions/internal/overlay"
	"github.com/resource-plugins/krm-functions/internal/strictyaml"
)

// operatorAccount is the ServiceAccount of the vendor's operator that plugins use for its rights
// (https://github.com/signadot/plugins/tree/main/k8s-apply). The operator's chart has others, but with common names
// such as "agent".
const operatorAccount = "signadot-controller-manager"

// checkOperator warns of an account that only the vendor's operator provides.
func checkOperator(o *overlay.Overlay) []strictyaml.Problem {
	if o.Account() != operatorAccount {
		return nil
	}
	problem := strictyaml.Error(overlayPath, "serviceAccountName %q is an account of the vendor's operator: without the "+
		"operator name another account, with the rights that the scripts need", operatorAccount)
	problem.Severity = strictyaml.SeverityWarning
	return []strictyaml.Problem{problem}
}
