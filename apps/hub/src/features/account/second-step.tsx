'use client'
import { type OwnProof, toCodedError } from '@roundhouse/backend-types'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { Dialog } from '../../ui/overlays/dialog'
import { lateDialog } from '../../ui/overlays/late-dialog'
import { ShownBackupCodes } from './backup-codes'
import { ProofDialog } from './proof-dialog'
import type { TotpDialogProps } from './totp-dialog'
import { useFactors } from './use-factors'

const TotpDialog = lateDialog<TotpDialogProps>(() => import('./totp-dialog').then((module) => module.TotpDialog))

/** Two-factor authentication: turn on, turn off, replace backup codes. */
export function SecondStep() {
  const { factors, error, refresh } = useFactors()
  const [open, setOpen] = useState<'on' | 'off' | 'codes' | null>(null)
  const close = () => {
    setOpen(null)
    void refresh()
  }
  if (error) return <ErrorNotice error={error} />
  if (!factors) return null
  return (
    <div className="space-y-3">
      <p className="text-ink-2 text-sm">
        {factors.totp
          ? `On. Signing in with your password also needs a code. ${factors.backupCodesLeft} backup ${factors.backupCodesLeft === 1 ? 'code is' : 'codes are'} left.`
          : 'Off. When it is on, signing in also needs a code from an authenticator app.'}
      </p>
      <div className="flex flex-wrap gap-2">
        {factors.totp ? (
          <>
            <Button onClick={() => setOpen('codes')}>New backup codes</Button>
            <Button look="danger" onClick={() => setOpen('off')}>
              Turn off
            </Button>
          </>
        ) : (
          <Button onClick={() => setOpen('on')}>Turn on</Button>
        )}
      </div>
      {open === 'on' ? <TotpDialog onClose={close} /> : null}
      {open === 'off' ? <OffDialog onClose={close} /> : null}
      {open === 'codes' ? <NewCodesDialog onClose={close} /> : null}
    </div>
  )
}

function OffDialog({ onClose }: TotpDialogProps) {
  const hub = useHub()
  const turnOff = (proof: OwnProof) =>
    hub.rest.removeTotp(proof).then(
      () => {
        onClose()
        return null
      },
      (refusal) => toCodedError(refusal).toBody(),
    )
  return (
    <ProofDialog
      title="Turn off two-factor authentication?"
      description="You will sign in with your password alone. Your backup codes stop working."
      action="Turn off"
      danger
      withCode
      onProve={turnOff}
      onClose={onClose}
    />
  )
}

function NewCodesDialog({ onClose }: TotpDialogProps) {
  const hub = useHub()
  const [codes, setCodes] = useState<string[] | null>(null)
  const renew = (proof: OwnProof) =>
    hub.rest.renewBackupCodes(proof).then(
      ({ backupCodes }) => {
        setCodes(backupCodes)
        return null
      },
      (refusal) => toCodedError(refusal).toBody(),
    )
  if (codes) {
    return (
      <Dialog open onOpenChange={onClose} title="New backup codes">
        <ShownBackupCodes codes={codes} onDone={onClose} />
      </Dialog>
    )
  }
  return (
    <ProofDialog
      title="New backup codes"
      description="Your current backup codes stop working."
      action="Create codes"
      withCode
      onProve={renew}
      onClose={onClose}
    />
  )
}
