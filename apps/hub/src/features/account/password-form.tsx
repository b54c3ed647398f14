'use client'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/forms/button'
import { Field } from '../../ui/forms/field'
import { ErrorNotice } from '../../ui/forms/notice'
import { NewPassword } from '../auth/new-password'
import { changePassword } from '../auth/sign-in'

export function PasswordForm() {
  const queries = useQueryClient()
  const [state, setState] = useState<'ready' | 'busy' | 'done'>('ready')
  const [error, setError] = useState<{ code: string; message: string } | null>(null)
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = event.currentTarget
    const fields = new FormData(form)
    setState('busy')
    const refused = await changePassword(String(fields.get('current')), String(fields.get('password')))
    setError(refused)
    setState(refused ? 'ready' : 'done')
    if (refused) return
    form.reset()
    await queries.invalidateQueries({ queryKey: ['logins'] })
  }
  return (
    <form method="post" onSubmit={submit} className="max-w-sm space-y-4">
      <Field label="Current password" name="current" type="password" autoComplete="current-password" required />
      <NewPassword label="New password" />
      {error ? <ErrorNotice error={error} /> : null}
      <div className="flex items-center gap-3">
        <Button type="submit" disabled={state === 'busy'}>
          Change password
        </Button>
        <output className="text-done text-sm">
          {state === 'done' ? 'Password changed. You are signed out everywhere else.' : ''}
        </output>
      </div>
    </form>
  )
}
