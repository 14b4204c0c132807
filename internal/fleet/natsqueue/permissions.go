package natsqueue

import (
	"cmp"

	"github.com/nats-io/nats-server/v2/server"

	"pagoda/internal/fleet/keys"
)

// inboxOf is the prefix of a user's inboxes: no other user may listen there.
func inboxOf(key string) string { return inboxes + key }

// permissions returns a user's permissions on NATS. A worker's are as few as its work needs: it asks the coordinator,
// and hears answers, tasks and announcements. Each subject of its messages ends in its key: it speaks for no other. It
// cannot publish a task, send to JetStream (pull.go says why), answer a question, or listen in on others. On a server
// that serves one run, only is that run.
func permissions(u keys.Identity, only string) *server.Permissions {
	own := cmp.Or(u.Run, only)
	run, stream := cmp.Or(own, "*"), "*"
	if own != "" {
		stream = streamName(own)
	}
	if u.Role == keys.Coordinator {
		return &server.Permissions{
			Publish: &server.SubjectPermission{Allow: []string{
				"pagoda.>",
				inboxes + ">", // answers
				"$JS.API.STREAM.*." + stream,
				"$JS.API.CONSUMER.>",
				"$JS.ACK." + stream + ".>",
				"$JS.ACK.*.*." + stream + ".>", // the same with domain and account, as servers are going to have it
			}},
			Subscribe: &server.SubjectPermission{Allow: []string{"pagoda.>", inboxOf(u.Key) + ".>"}},
		}
	}
	find, heard := []string{findSubject(run)}, runSubject(run)
	if u.Run == "" {
		find, heard = append(find, findAny), runSubject("*") // it may not know yet which run it is for
	}
	return &server.Permissions{
		Publish: &server.SubjectPermission{Allow: append(find,
			reportSubject(run, u.Key), joinSubject(run, u.Key), joinOfVersion1(run), heartbeatSubject(run, u.Key),
			locateSubject(run, u.Key), pullRequests(run, u.Key), ackSubject(run, u.Key),
		)},
		Subscribe: &server.SubjectPermission{Allow: []string{inboxOf(u.Key) + ".>", dropSubject(run), heard}},
	}
}
