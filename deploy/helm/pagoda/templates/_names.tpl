{{- /* The run's name. */}}
{{- define "pagoda.name" -}}
{{- $name := default .Release.Name .Values.name -}}
{{- if not (and (regexMatch "^[a-z]([a-z0-9-]*[a-z0-9])?$" $name) (le (len $name) 40)) -}}
{{- fail (printf "%q is not a name of at most 40 lower-case letters, digits and -, beginning with a letter: name the release otherwise, or set name" $name) -}}
{{- end -}}
{{- $name -}}
{{- end }}

{{- /* Of repository, tag and digest: repository:tag@digest. Without a tag and a digest it is the tag latest. */}}
{{- define "pagoda.image" -}}
{{- .repository -}}
{{- with ternary .tag (default "latest" .tag) (not (not .digest)) }}:{{ . }}{{ end -}}
{{- with .digest }}@{{ . }}{{ end -}}
{{- end }}

{{- /* The name of the file of the batch. */}}
{{- define "pagoda.batch" -}}
{{- if not (hasKey .Values.batch.files .Values.batch.file) -}}
{{- fail (printf "batch.files has no %s, which batch.file names" .Values.batch.file) -}}
{{- end -}}
{{- .Values.batch.file -}}
{{- end }}
