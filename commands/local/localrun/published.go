package localrun

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/resource-plugins/krm-functions/api/v1alpha1"
)

// Published are the outputs of a step that has run elsewhere, such as in a cluster.
type Published struct {
	// Generation is that of the step that published them.
	Generation string
	Data       map[string][]byte
}

// PublishedFunc returns the outputs in a Secret by its namespace and name; nil if it has none. The sandbox id is that of the
// phase that reads them.
type PublishedFunc func(ctx context.Context, sandboxID, namespace, secret string) (*Published, error)

// adopt adds records of steps that have published their outputs elsewhere. Records of this state take precedence. A step
// whose current generation is published does not run.
func (s *State) adopt(ctx context.Context, p *phase, published PublishedFunc) error {
	if published == nil {
		return nil
	}
	for _, one := range p.steps {
		for i, secret := range one.inputs {
			of := *one
			of.name, of.output = one.plan.Producers[i].Step, secret
			if one.plan.Producers[i].Generation == "" { // delete steps read what create steps have published
				of.phase = v1alpha1.PhaseCreate
			}
			if err := s.adoptOne(ctx, &of, published); err != nil {
				return err
			}
		}
		if one.output != "" {
			if err := s.adoptOne(ctx, one, published); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *State) adoptOne(ctx context.Context, of *step, published PublishedFunc) error {
	known, err := s.read(of.file())
	if err != nil || known != nil && known.Published != "" {
		return err
	}
	found, err := published(ctx, of.sandboxID, of.namespace, of.output)
	if err != nil || found == nil {
		return err
	}
	return s.update(of, func(r *record) { r.Published, r.Data = found.Generation, found.Data })
}

// PublishedIn returns the outputs that the runs of a folder have published.
func PublishedIn(folder string) (PublishedFunc, error) {
	info, err := os.Stat(filepath.Join(folder, stepsFolder))
	if err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%q must be the folder %s of a run: it has no folder %q", folder, StateFolder, stepsFolder)
	}
	other, err := OpenState(folder)
	if err != nil {
		return nil, err
	}
	return func(_ context.Context, sandboxID, _, secret string) (*Published, error) {
		r, err := other.read(recordFile(sandboxID, secret))
		if err != nil || r == nil || r.Published == "" {
			return nil, err
		}
		return &Published{Generation: r.Published, Data: r.Data}, nil
	}, nil
}
