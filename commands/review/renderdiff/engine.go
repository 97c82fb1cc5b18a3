package renderdiff

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/internal/engine"
)

// decodeWorkload takes the tasks of a workload. If there are several, each becomes a separate object.
func (o *object) decodeWorkload(e engine.Engine, kind string, text []byte) error {
	workload, err := e.Decode(kind, text)
	if err != nil {
		return err
	}
	o.ObjectMeta = workload.ObjectMeta
	for i := range workload.Tasks {
		task := &workload.Tasks[i]
		if task.Name == "" {
			o.job = &task.Job
			continue
		}
		one := &object{ObjectMeta: o.ObjectMeta, task: task.Name, job: &task.Job}
		m := &task.Job.Template.ObjectMeta
		one.Labels, one.Annotations = engine.Merged(o.Labels, m.Labels), engine.Merged(o.Annotations, m.Annotations)
		o.tasks = append(o.tasks, one)
	}
	return nil
}

// inline gives variables of main that an engine reads from a rendered ConfigMap the values that they have in a Job.
func (s *state) inline(o *object) {
	one := step{object: o}
	main := one.main()
	for i := range main.Env {
		v := &main.Env[i]
		from := configMapOf(v)
		if from == nil {
			continue
		}
		if values := s.find(kindConfigMap, o.namespace, from.Name); values != nil {
			v.Value, v.ValueFrom = strings.ReplaceAll(values.data[from.Key], "$", "$$"), nil
		}
	}
}

// configMapOf returns the key of a rendered ConfigMap that a variable reads, nil if it does not read one.
func configMapOf(v *corev1.EnvVar) *corev1.ConfigMapKeySelector {
	if v.ValueFrom == nil || v.ValueFrom.ConfigMapKeyRef == nil || !contract.IsObjectName(v.ValueFrom.ConfigMapKeyRef.Name) {
		return nil
	}
	return v.ValueFrom.ConfigMapKeyRef
}

// values notes that values of variables are not known, since a side does not have the ConfigMap.
func (d *comparison) values() {
	for _, side := range []struct {
		*state
		of *step
	}{{d.before, d.old}, {d.after, d.new}} {
		for i := range side.of.main().Env {
			if from := configMapOf(&side.of.main().Env[i]); from != nil {
				d.cannot("params, since %s does not have ConfigMap %q", side.name, from.Name)
				return
			}
		}
	}
}

// isOfEngine reports whether the step is a task of a workload that runs all of its phase.
func (o *object) isOfEngine() bool { return o.task != "" }

// changesEngine reports whether the sides have different engines for a step: their Pods differ in much.
func (d *comparison) changesEngine() bool {
	return d.old.kind != d.new.kind && (d.old.isOfEngine() || d.new.isOfEngine())
}
