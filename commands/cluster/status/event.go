package status

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// event is an event of the API groups v1 or events.k8s.io/v1.
type event struct {
	Metadata  metav1.ObjectMeta      `json:"metadata"`
	Object    corev1.ObjectReference `json:"involvedObject"`
	Regarding corev1.ObjectReference `json:"regarding"`
	Type      string                 `json:"type"`
	Reason    string                 `json:"reason"`
	Message   string                 `json:"message"`
	Note      string                 `json:"note"`
	First     metav1.Time            `json:"firstTimestamp"`
	Last      metav1.Time            `json:"lastTimestamp"`
	Time      metav1.MicroTime       `json:"eventTime"`
}

// object returns the object that the event refers to.
func (e *event) object() corev1.ObjectReference {
	if e.Object.Name == "" {
		return e.Regarding
	}
	return e.Object
}

func (e *event) message() string {
	if e.Message == "" {
		return e.Note
	}
	return e.Message
}

// time returns the time when the event was last seen.
func (e *event) time() metav1.Time {
	newest := metav1.Time{Time: e.Time.Time}
	for _, t := range []metav1.Time{e.Metadata.CreationTimestamp, e.First, e.Last} {
		if newest.Before(&t) {
			newest = t
		}
	}
	return newest
}
