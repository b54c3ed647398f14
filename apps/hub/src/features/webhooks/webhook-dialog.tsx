'use client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Field } from '../../ui/forms/field'
import { FormEnd } from '../../ui/forms/form-end'
import { onForm, textIn } from '../../ui/forms/on-form'
import { ShownLink } from '../../ui/forms/shown-link'
import { Dialog } from '../../ui/overlays/dialog'
import { webhooksKey } from './use-webhook'
import { usualTopics } from './webhook-words'

export interface WebhookDialogProps {
  onClose: () => void
}

const topicsIn = (form: FormData): string[] => {
  const own = textIn(form, 'others')
    .split(/[\s,]+/)
    .filter((pattern) => pattern !== '')
  return [...new Set([...form.getAll('topics').map(String), ...own])]
}

export function WebhookDialog({ onClose }: WebhookDialogProps) {
  const hub = useHub()
  const queries = useQueryClient()
  const [secret, setSecret] = useState<string | null>(null)
  const add = useMutation({
    mutationFn: (form: FormData) =>
      hub.rest.call('createWebhook', { body: { url: textIn(form, 'url'), topics: topicsIn(form), enabled: true } }),
    onSuccess: (made) => setSecret(made.secret),
    onSettled: () => queries.invalidateQueries({ queryKey: webhooksKey }),
  })
  return (
    <Dialog open onOpenChange={onClose} title="Add webhook">
      {secret === null ? (
        <form onSubmit={onForm((form) => add.mutate(form))} className="space-y-4">
          <Field
            label="Address"
            name="url"
            type="url"
            required
            autoComplete="off"
            placeholder="https://example.com/hook"
            hint="A public https address. The operator of the hub can allow addresses of your network."
          />
          <Topics />
          <FormEnd action="Add webhook" error={add.error} busy={add.isPending} onCancel={onClose} />
        </form>
      ) : (
        <ShownLink link={secret} onDone={onClose}>
          Copy the secret now: it is not shown again. Your program checks with it that a message comes from this hub.
        </ShownLink>
      )}
    </Dialog>
  )
}

function Topics() {
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-ink-2 text-sm">Send a message when</legend>
      {usualTopics.map(({ pattern, means }, at) => (
        <label key={pattern} className="flex items-center gap-2 py-0.5 pointer-coarse:py-2 text-sm">
          <input
            type="checkbox"
            name="topics"
            value={pattern}
            defaultChecked={at < 2}
            className="size-4 shrink-0 accent-accent"
          />
          {means}
        </label>
      ))}
      <div className="mt-2">
        <Field
          label="Other topics"
          name="others"
          autoComplete="off"
          hint="Patterns of the bus, separated by spaces: * is one word, ** any number of words."
        />
      </div>
    </fieldset>
  )
}
