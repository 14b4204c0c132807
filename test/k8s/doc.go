// Package k8s runs Pagoda on a real Kubernetes API server, and breaks pods, processes, nodes and volumes. The exports
// must equal those of a run on one machine, byte for byte.
//
//	go test -tags k8s -v ./test/k8s -args -image registry.example/pagoda:1
//
// It takes any cluster that KUBECONFIG names; each test makes namespaces of its own and removes them. The cluster's
// nodes must be able to get the image. On the throwaway cluster of tools/k8s-test, where pods are processes of this
// machine, it also kills processes and nodes and removes volumes; elsewhere it says that these parts were not run.
package k8s
