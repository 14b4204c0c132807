// Package k8s launches runs on Kubernetes: it makes a kustomize overlay of the manifests in deploy/k8s for one run, and
// has kubectl apply it and look after it.
//
//	o := k8s.Overlay{Name: "english-8ac7427e3573", Run: "8ac7427e3573", Config: text, Workers: 4, ...}
//	manifests, err := kubectl.Render(ctx, o)
//	err = kubectl.Apply(ctx, manifests)
//
// It speaks to clusters through kubectl and not through client-go. Users of a cluster have kubectl, with the
// credentials, plug-ins, proxies and contexts that open it; every step can be repeated by hand and be read in the
// output of --verbose. The program stays as it is, too: a program of client-go and kustomize alone has 27 MiB and 48
// modules, 40 of which coordinator (38 MiB, 58 modules) does not have. The price of kubectl is one process for each
// step. A launch takes about ten.
//
// The package knows names, labels and HTTP, and nothing of puzzles, stores or queues.
package k8s
