'use client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { FormEnd } from '../../ui/forms/form-end'
import { onForm } from '../../ui/forms/on-form'
import { ShownLink } from '../../ui/forms/shown-link'
import { Dialog } from '../../ui/overlays/dialog'
import { webhooksKey } from './use-webhook'
import { WebhookFields, webhookIn } from './webhook-fields'

export interface WebhookDialogProps {
  onClose: () => void
}

export function WebhookDialog({ onClose }: WebhookDialogProps) {
  const hub = useHub()
  const queries = useQueryClient()
  const [secret, setSecret] = useState<string | null>(null)
  const add = useMutation({
    mutationFn: (form: FormData) => hub.rest.call('createWebhook', { body: { ...webhookIn(form), enabled: true } }),
    onSuccess: (made) => setSecret(made.secret),
    onSettled: () => queries.invalidateQueries({ queryKey: webhooksKey }),
  })
  return (
    <Dialog open onOpenChange={onClose} title="Add webhook">
      {secret === null ? (
        <form onSubmit={onForm((form) => add.mutate(form))} className="space-y-4">
          <WebhookFields />
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
