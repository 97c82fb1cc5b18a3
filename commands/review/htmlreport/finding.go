package htmlreport

import (
	"cmp"

	"github.com/resource-plugins/krm-functions/internal/report"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// finding is a finding on the page.
type finding struct {
	Anchor                     string
	Severity                   krm.Severity
	Rule, Page                 string
	Place, Object, Field, Text string
	// Card is the anchor of the document's card, or empty.
	Card string
	// Lines are the source lines of the finding, if they are known.
	Lines []report.SourceLine
	// Proposal is the value that must replace the current one.
	Proposal string
	// Reason is the reason of a comment that suppresses it.
	Reason string
}

// linesAround is the number of source lines shown above and below a finding.
const linesAround = 2

func severityOf(result krm.Result) krm.Severity { return cmp.Or(result.Severity, krm.Error) }

func (b *builder) finding(result krm.Result) finding {
	f := finding{
		Anchor: b.anchor("finding", result.Tags[krm.RuleTag]), Severity: severityOf(result), Rule: result.Tags[krm.RuleTag],
		Place: report.Printable(report.PlaceText(result)), Object: report.Printable(report.ObjectText(result.ResourceRef)),
		Text: b.values.message(result), Card: b.cards[result.Item()],
	}
	if result.Field != nil {
		f.Field = report.Printable(result.Field.Path)
		isKey := result.Tags[krm.TargetTag] == krm.TargetKey
		if result.Field.ProposedValue != nil && (isKey || !b.values.hides(result)) {
			f.Proposal = report.Printable(report.Change(result))
		}
	}
	for _, rule := range b.Rules {
		if rule.ID == f.Rule {
			f.Page = rule.Page
		}
	}
	if f.Severity != krm.Info {
		f.Lines = b.values.lines(result, b.Source(result, linesAround))
	}
	return f
}
