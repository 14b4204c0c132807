// Package keys holds the credentials by which the processes of a fleet recognise each other, and the one rule about
// where they are needed: an address that other machines can reach needs credentials, unless the user says otherwise.
//
// A folder of credentials, made by [Make], belongs to one fleet:
//
//	ca/           ca.pem, ca.key: signs the certificates below; needed to renew them, and by no running process
//	server/       ca.pem, tls.crt, tls.key, users: for a NATS server of its own
//	coordinator/  ca.pem, tls.crt, tls.key, user.nkey, users: for coordinators, whose embedded NATS server needs users
//	worker/       ca.pem, tls.crt, tls.key, user.nkey: for workers; one copy serves many
//
// Certificates authenticate connections, both ways, for NATS, for transfer between workers and for the coordinator's
// HTTP interface. They are signed by the fleet's own authority and no other, and name a role, not a machine: the
// connecting side compares the certificate with a fixed name ([NATSName], [PeerName], [CoordinatorName]), so addresses
// may change. The role, the public key of the holder, and the run that a worker's credentials are bound to, stand in
// the certificate as a URI:
//
//	urn:pagoda:worker:UKEY       urn:pagoda:worker:UKEY:english-0123456789ab
//
// The key is that of the NATS user, so that a worker is the same on NATS and when it serves windows. [Fingerprint]
// shortens it for the worker's name.
//
// NATS users are nkeys: user.nkey holds the secret seed, and the file users has a line for each public key that a
// server should know: the key, the role, and the run if it is bound to one. Package natsqueue has the permissions of a
// role on NATS.
//
// Secrets come from files that other users cannot read, never from flags or the environment. Group-readable is allowed:
// that is how Kubernetes mounts them.
package keys
