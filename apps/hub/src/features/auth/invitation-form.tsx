'use client'
import { toCodedError } from '@roundhouse/backend-types'
import { HubRest, Transport } from '@roundhouse/hub-client'
import { type FormEvent, useState } from 'react'
import { Field } from '../../ui/field'
import { ErrorNotice } from '../../ui/notice'
import { SubmitButton } from '../../ui/submit-button'
import { NewPassword } from './new-password'
import { signIn } from './sign-in'
import { useCodeOfLink } from './use-code-of-link'

/** For somebody new, and for somebody who gets a new password: the latter is known by name already. */
export function InvitationForm() {
  const code = useCodeOfLink()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<{ code: string; message: string } | null>(null)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [typed, name] = [String(form.get('code')).trim(), String(form.get('name')).trim()]
    const password = String(form.get('password'))
    setBusy(true)
    setError(null)
    try {
      const rest = new HubRest(new Transport({ baseUrl: '' }))
      const { email } = await rest.acceptInvitation({ code: typed, password, ...(name ? { name } : {}) })
      const entry = await signIn(email, password)
      location.assign(entry === 'in' ? '/' : '/login')
    } catch (thrown) {
      setError(toCodedError(thrown).toBody())
      setBusy(false)
    }
  }

  return (
    <form method="post" onSubmit={submit} className="space-y-4">
      <Field
        ref={code}
        label="Invitation"
        name="code"
        required
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        hint="It is in the link that you got."
      />
      <Field
        label="Your name"
        name="name"
        autoComplete="name"
        maxLength={100}
        hint="Others see it beside what you do. Leave it empty to keep the one you have."
      />
      <NewPassword />
      {error ? <ErrorNotice error={error} /> : null}
      <SubmitButton disabled={busy}>{busy ? 'One moment…' : 'Come in'}</SubmitButton>
    </form>
  )
}
