'use client'
import { type OwnProof, SecondCode } from '@roundhouse/backend-types'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/forms/button'
import { Field } from '../../ui/forms/field'
import { ErrorNotice } from '../../ui/forms/notice'
import { onForm } from '../../ui/forms/on-form'
import { Dialog } from '../../ui/overlays/dialog'
import { orRefused, type Refused } from '../auth/auth-post'
import { CodeField } from '../auth/code-field'

export interface ProofDialogProps {
  title: string
  description: string
  action: string
  danger?: boolean
  /** Codes are on, so the dialog asks for one too. */
  withCode: boolean
  /** `null` on success. */
  onProve: (proof: OwnProof, form: FormData) => Promise<Refused | null>
  onClose: () => void
  /** Shown above the password. */
  children?: ReactNode
}

/** Asks again for the password, and for a code if codes are on. */
export function ProofDialog(props: ProofDialogProps) {
  const { title, description, action, danger = false, withCode, onProve, onClose, children } = props
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Refused | null>(null)
  const submit = onForm(async (form) => {
    const code = SecondCode.safeParse(form.get('code') ?? undefined)
    if (withCode && !code.success)
      return setError({ code: 'INVALID_ARGUMENT', message: 'Six digits, or a backup code.' })
    setBusy(true)
    const proof = { password: String(form.get('password')), ...(withCode ? { code: code.data } : {}) }
    setError(await orRefused(onProve(proof, form)))
    setBusy(false)
  })
  return (
    <Dialog open onOpenChange={onClose} title={title} description={description}>
      <form onSubmit={submit} className="space-y-4">
        {children}
        <Field label="Your password" name="password" type="password" autoComplete="current-password" required />
        {withCode ? <CodeField /> : null}
        {error ? <ErrorNotice error={error} /> : null}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look={danger ? 'danger' : 'solid'} disabled={busy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
