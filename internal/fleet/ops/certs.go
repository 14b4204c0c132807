package ops

import (
	"github.com/prometheus/client_golang/prometheus"

	"pagoda/internal/fleet/keys"
)

// WatchKeys adds the moment at which a process's keys expire; no keys add nothing.
func WatchKeys(r prometheus.Registerer, k *keys.Credentials) error {
	if k == nil {
		return nil
	}
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Name: "certs_expiry_timestamp_seconds", Help: "When the keys of this process expire.",
	})
	g.Set(seconds(k.Expires))
	return r.Register(g)
}
