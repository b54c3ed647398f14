'use client'
import { type OwnProof, type PasskeyView, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { useHub } from '../../live/hub-provider'
import { Field } from '../../ui/forms/field'
import { FormEnd } from '../../ui/forms/form-end'
import { onForm, textIn } from '../../ui/forms/on-form'
import { Dialog } from '../../ui/overlays/dialog'
import { PlainText } from '../../ui/text/plain-text'
import { addPasskey } from '../auth/passkey'
import { ProofDialog } from './proof-dialog'

export interface AddPasskeyProps {
  withCode: boolean
  onClose: () => void
}

export function AddPasskey({ withCode, onClose }: AddPasskeyProps) {
  const add = async (proof: OwnProof, form: FormData) => {
    const refused = await addPasskey(textIn(form, 'name'), proof)
    if (!refused) onClose()
    return refused
  }
  return (
    <ProofDialog
      title="Add a passkey"
      description="Your browser asks where to save it."
      action="Continue"
      withCode={withCode}
      onProve={add}
      onClose={onClose}
    >
      <Field label="Name" name="name" required maxLength={100} placeholder="My laptop" autoComplete="off" />
    </ProofDialog>
  )
}

export interface RemovePasskeyProps extends AddPasskeyProps {
  passkey: PasskeyView
}

export function RemovePasskey({ passkey, withCode, onClose }: RemovePasskeyProps) {
  const hub = useHub()
  const remove = (proof: OwnProof) =>
    hub.rest.removePasskey(passkey.passkeyId, proof).then(
      () => {
        onClose()
        return null
      },
      (refusal) => toCodedError(refusal).toBody(),
    )
  return (
    <ProofDialog
      title="Remove this passkey?"
      description="You can no longer sign in with it. Remove it from your device separately."
      action="Remove"
      danger
      withCode={withCode}
      onProve={remove}
      onClose={onClose}
    >
      <p className="font-medium [overflow-wrap:anywhere]">
        <PlainText>{passkey.name}</PlainText>
      </p>
    </ProofDialog>
  )
}

export interface RenamePasskeyProps {
  passkey: PasskeyView
  onClose: () => void
}

export function RenamePasskey({ passkey, onClose }: RenamePasskeyProps) {
  const hub = useHub()
  const rename = useMutation({
    mutationFn: (name: string) => hub.rest.renamePasskey(passkey.passkeyId, name),
    onSuccess: onClose,
  })
  return (
    <Dialog open onOpenChange={onClose} title="Rename the passkey">
      <form onSubmit={onForm((form) => rename.mutate(textIn(form, 'name')))} className="space-y-4">
        <Field label="Name" name="name" required maxLength={100} defaultValue={passkey.name} autoComplete="off" />
        <FormEnd action="Rename" error={rename.error} busy={rename.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
