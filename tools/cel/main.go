// Command cel evaluates a ValidatingAdmissionPolicy on objects, with the code of the API server and without one. It reads
// an Input as JSON on stdin, and prints for each object why the policy denies it: a list of texts, empty if it does not.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// Input is a policy with the objects that it is evaluated on, each as if it were created.
type Input struct {
	Policy  admissionv1.ValidatingAdmissionPolicy `json:"policy"`
	Objects []map[string]any                      `json:"objects"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(stdin io.Reader, stdout io.Writer) error {
	var input Input
	if err := json.NewDecoder(stdin).Decode(&input); err != nil {
		return err
	}
	validator, err := compile(&input.Policy)
	if err != nil {
		return err
	}
	denied := make([][]string, len(input.Objects))
	for i, content := range input.Objects {
		denied[i] = evaluate(validator, &unstructured.Unstructured{Object: content})
	}
	return json.NewEncoder(stdout).Encode(denied)
}

// compile compiles a policy as the API server does:
// https://github.com/kubernetes/apiserver/blob/v0.34.3/pkg/admission/plugin/policy/validating/plugin.go
func compile(policy *admissionv1.ValidatingAdmissionPolicy) (validating.Validator, error) {
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion(), true))
	if err != nil {
		return nil, err
	}
	options := cel.OptionalVariableDeclarations{HasAuthorizer: true, StrictCost: true}
	for i := range policy.Spec.Variables {
		variable := &validating.Variable{Name: policy.Spec.Variables[i].Name, Expression: policy.Spec.Variables[i].Expression}
		if result := compiler.CompileAndStoreVariable(variable, options, environment.StoredExpressions); result.Error != nil {
			return nil, fmt.Errorf("variable %s: %w", variable.Name, result.Error)
		}
	}
	var validations, messages, conditions []cel.ExpressionAccessor
	for _, validation := range policy.Spec.Validations {
		validations = append(validations, &validating.ValidationCondition{
			Expression: validation.Expression, Message: validation.Message, Reason: validation.Reason,
		})
		if validation.MessageExpression == "" {
			messages = append(messages, nil)
			continue
		}
		messages = append(messages, &validating.MessageExpressionCondition{MessageExpression: validation.MessageExpression})
	}
	for i := range policy.Spec.MatchConditions {
		conditions = append(conditions, (*matchconditions.MatchCondition)(&policy.Spec.MatchConditions[i]))
	}
	condition := func(expressions []cel.ExpressionAccessor) cel.ConditionEvaluator {
		return compiler.CompileCondition(expressions, options, environment.StoredExpressions)
	}
	for name, expressions := range map[string][]cel.ExpressionAccessor{
		"validations": validations, "messages": messages, "matchConditions": conditions,
	} {
		for _, err := range condition(expressions).CompilationErrors() {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	var matcher matchconditions.Matcher
	if len(conditions) > 0 {
		matcher = matchconditions.NewMatcher(condition(conditions), policy.Spec.FailurePolicy, "policy", "validate", policy.Name)
	}
	return validating.NewValidator(
		condition(validations), matcher, condition(nil), condition(messages), policy.Spec.FailurePolicy), nil
}

// evaluate returns why an object is denied.
func evaluate(validator validating.Validator, object *unstructured.Unstructured) []string {
	kind := object.GroupVersionKind()
	resource := schema.GroupVersionResource{Group: kind.Group, Version: kind.Version}
	attributes := admission.NewAttributesRecord(object, nil, kind, object.GetNamespace(), object.GetName(), resource, "",
		admission.Create, nil, false, nil)
	versioned := &admission.VersionedAttributes{Attributes: attributes, VersionedKind: kind, VersionedObject: object}
	result := validator.Validate(context.Background(), resource, versioned, nil, nil, celconfig.RuntimeCELCostBudget, nil)
	denied := []string{}
	for _, decision := range result.Decisions {
		if decision.Action == validating.ActionDeny {
			denied = append(denied, decision.Message)
		}
	}
	return denied
}
