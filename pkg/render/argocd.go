package render

import "github.com/resource-plugins/krm-functions/internal/manifest"

// argocd puts what workloads need into a wave before them: accounts, roles and ConfigMaps count as healthy at once, so
// the next wave never waits. All workloads are in wave 0, where a user's own objects are by default: Argo CD starts a
// wave when the one before is healthy, and a Job is healthy when it is complete (sync-waves.md of Argo CD 3.4).
//
// Hooks of a deletion are created at once and in any order; waves mean nothing there.
func (d Delivery) argocd(object Object) []manifest.Field {
	const sync, wave = "argocd.argoproj.io/sync-options", "argocd.argoproj.io/sync-wave"
	switch {
	case d.held(object):
		hook := d.Hook
		if hook == "" {
			hook = PostDelete
		}
		return []manifest.Field{
			note("argocd.argoproj.io/hook", string(hook)),
			note("argocd.argoproj.io/hook-delete-policy", "HookSucceeded"),
		}
	case kept(object):
		return []manifest.Field{note(sync, "Prune=false,Delete=false"), note(wave, "-1")}
	case isWorkload(object):
		return nil
	default:
		return []manifest.Field{note(wave, "-1")}
	}
}
