'use client'
import type { WebhookView } from '@roundhouse/backend-types'
import { FormEnd } from '../../ui/forms/form-end'
import { onForm } from '../../ui/forms/on-form'
import { Dialog } from '../../ui/overlays/dialog'
import { useWebhook } from './use-webhook'
import { WebhookFields, webhookIn } from './webhook-fields'

export interface EditDialogProps {
  webhook: WebhookView
  onClose: () => void
}

/** Changes where a webhook leads and what it is sent. Its secret and its place stay. */
export function EditDialog({ webhook, onClose }: EditDialogProps) {
  const { edit } = useWebhook(webhook.webhookId)
  return (
    <Dialog open onOpenChange={onClose} title="Edit webhook" description="The secret stays the same.">
      <form onSubmit={onForm((form) => edit.mutate(webhookIn(form), { onSuccess: onClose }))} className="space-y-4">
        <WebhookFields webhook={webhook} />
        <FormEnd action="Save" error={edit.error} busy={edit.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
