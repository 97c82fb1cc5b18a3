package stackpackage

import "github.com/resource-plugins/krm-functions/pkg/krm"

// Find returns the packages of a list, in the order of their metadata documents. What is wrong with them is not its
// subject: it takes what can be read.
func Find(list *krm.ResourceList) []*Package {
	return nil
}
