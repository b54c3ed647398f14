'use client'
import type { SessionView } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { useHub } from '../../../live/hub-provider'
import { Field } from '../../../ui/forms/field'
import { FormEnd } from '../../../ui/forms/form-end'
import { onForm } from '../../../ui/forms/on-form'
import { Dialog } from '../../../ui/overlays/dialog'

export interface RenameDialogProps {
  view: SessionView
  onClose: () => void
}

export function RenameDialog({ view, onClose }: RenameDialogProps) {
  const hub = useHub()
  const rename = useMutation({
    mutationFn: (title: string) => hub.rest.rename(view.sessionId, { title }),
    onSuccess: onClose,
  })
  return (
    <Dialog open onOpenChange={onClose} title="Rename this session">
      <form onSubmit={onForm((form) => rename.mutate(String(form.get('title'))))} className="space-y-4">
        <Field label="Title" name="title" defaultValue={view.title} required maxLength={200} />
        <FormEnd action="Rename" error={rename.error} busy={rename.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
