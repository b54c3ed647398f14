'use client'
import { type TotpOffer, toCodedError } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { CopyButton } from '../../ui/forms/copy-button'
import { Field } from '../../ui/forms/field'
import { FormEnd } from '../../ui/forms/form-end'
import { onForm, textIn } from '../../ui/forms/on-form'
import { Dialog } from '../../ui/overlays/dialog'
import { ShownBackupCodes } from './backup-codes'
import { ProofDialog } from './proof-dialog'
import { QrCode } from './qr-code'

export interface TotpDialogProps {
  onClose: () => void
}

const title = 'Turn on two-factor authentication'

/** Asks for the password, shows the authenticator's secret, asks for a first code, and then shows the backup codes. */
export function TotpDialog({ onClose }: TotpDialogProps) {
  const hub = useHub()
  const [offer, setOffer] = useState<TotpOffer | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  if (codes) {
    return (
      <Dialog open onOpenChange={onClose} title="Two-factor authentication is on">
        <ShownBackupCodes codes={codes} onDone={onClose} />
      </Dialog>
    )
  }
  if (offer) return <FirstCode offer={offer} onConfirmed={setCodes} onClose={onClose} />
  const prove: Parameters<typeof ProofDialog>[0]['onProve'] = (proof) =>
    hub.rest.offerTotp(proof).then(
      (made) => {
        setOffer(made)
        return null
      },
      (refusal) => toCodedError(refusal).toBody(),
    )
  return (
    <ProofDialog
      title={title}
      description="You need an authenticator app, for example on your phone. Enter your password to start."
      action="Continue"
      withCode={false}
      onProve={prove}
      onClose={onClose}
    />
  )
}

interface FirstCodeProps extends TotpDialogProps {
  offer: TotpOffer
  onConfirmed: (codes: string[]) => void
}

function FirstCode({ offer, onConfirmed, onClose }: FirstCodeProps) {
  const hub = useHub()
  const confirm = useMutation({
    mutationFn: (code: string) => hub.rest.confirmTotp(code),
    onSuccess: ({ backupCodes }) => onConfirmed(backupCodes),
  })
  const submit = onForm((form) => confirm.mutate(textIn(form, 'code').replace(/\s/g, '')))
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description="Scan this with your authenticator app, or type in the secret."
    >
      <form onSubmit={submit} className="space-y-4">
        <div className="flex justify-center">
          <QrCode text={offer.uri} label="QR code for your authenticator app" />
        </div>
        <div className="flex items-center gap-2 rounded-md border border-line bg-sunken p-2 pl-3">
          <code data-testid="totp-secret" className="min-w-0 flex-1 break-all font-mono text-xs">
            {offer.secret}
          </code>
          <CopyButton text={offer.secret} />
        </div>
        <Field
          label="Code from the app"
          name="code"
          required
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="\s*(\d\s*){6}"
          title="Six digits"
          className="font-mono"
          hint="This signs you out everywhere else."
        />
        <FormEnd action="Turn on" error={confirm.error} busy={confirm.isPending} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
