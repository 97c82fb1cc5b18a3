package localrun

import (
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/resource-plugins/krm-functions/internal/contract"
	"github.com/resource-plugins/krm-functions/pkg/krm"
)

// values are the Secrets and ConfigMaps among the objects, by name.
type values struct{ secrets, configMaps map[string][]bound }

// bound is the data of one object.
type bound struct {
	namespace string // empty means every namespace
	data      map[string][]byte
}

// add adds a Secret or ConfigMap. Rendered Secrets are empty: published outputs are in the state.
func (v values) add(object *krm.Item) error {
	if _, rendered := object.Annotation(contract.GenerationKey); rendered && object.Kind() == "Secret" {
		return nil
	}
	b := bound{namespace: object.Namespace(), data: map[string][]byte{}}
	if object.Kind() == "ConfigMap" {
		configMap := &corev1.ConfigMap{}
		if err := decode(object, configMap); err != nil {
			return err
		}
		for key, text := range configMap.Data {
			b.data[key] = []byte(text)
		}
		for key, content := range configMap.BinaryData {
			b.data[key] = content
		}
		v.configMaps[object.Name()] = append(v.configMaps[object.Name()], b)
		return nil
	}
	secret := &corev1.Secret{}
	if err := decode(object, secret); err != nil {
		return errors.New("it cannot be decoded: data must be base64") // the decoder's error contains values
	}
	for key, content := range secret.Data {
		b.data[key] = content
	}
	for key, text := range secret.StringData {
		b.data[key] = []byte(text)
	}
	v.secrets[object.Name()] = append(v.secrets[object.Name()], b)
	return nil
}

// find returns the data of an object with a namespace. An object without a namespace belongs to every namespace.
func find(objects []bound, namespace string) (data map[string][]byte, found bool) {
	for _, b := range objects {
		if b.namespace == namespace {
			return b.data, true
		}
	}
	for _, b := range objects {
		if b.namespace == "" {
			return b.data, true
		}
	}
	return nil, false
}
