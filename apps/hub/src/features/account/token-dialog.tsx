'use client'
import { ApiTokenScope, type OwnProof, toCodedError } from '@roundhouse/backend-types'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { Choice } from '../../ui/forms/choice'
import { Field } from '../../ui/forms/field'
import { textIn } from '../../ui/forms/on-form'
import { ShownLink } from '../../ui/forms/shown-link'
import { Dialog } from '../../ui/overlays/dialog'
import { ProofDialog } from './proof-dialog'
import { scopeWords } from './scope-words'

export interface TokenDialogProps {
  withCode: boolean
  onClose: () => void
}

const title = 'Create API token'
const lives = [7, 30, 90, 365].map((days) => ({ value: String(days), label: `${days} days` }))

const wantedIn = (form: FormData) => ({
  name: textIn(form, 'name'),
  scopes: ApiTokenScope.array().parse(form.getAll('scopes')),
  ttlDays: Number(form.get('days')),
})

export function TokenDialog({ withCode, onClose }: TokenDialogProps) {
  const hub = useHub()
  const queries = useQueryClient()
  const [token, setToken] = useState<string | null>(null)
  const make = (proof: OwnProof, form: FormData) =>
    hub.rest.makeToken({ ...wantedIn(form), ...proof }).then(
      async (made) => {
        setToken(made.token)
        await queries.invalidateQueries({ queryKey: ['tokens'] })
        return null
      },
      (refusal) => toCodedError(refusal).toBody(),
    )
  if (token !== null) {
    return (
      <Dialog open onOpenChange={onClose} title={title}>
        <ShownLink link={token} onDone={onClose}>
          Copy it now: it is not shown again. Programs send it in the header “Authorization: Bearer”.
        </ShownLink>
      </Dialog>
    )
  }
  return (
    <ProofDialog
      title={title}
      description="Anyone who has the token can do this in your name."
      action="Create token"
      withCode={withCode}
      onProve={make}
      onClose={onClose}
    >
      <Field label="Name" name="name" required maxLength={100} autoComplete="off" />
      <Scopes />
      <Choice label="Expires in" name="days" defaultValue="30" options={lives} onChoose={() => {}} />
    </ProofDialog>
  )
}

function Scopes() {
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-ink-2 text-sm">Permissions</legend>
      {ApiTokenScope.options.map((scope) => (
        <label key={scope} className="flex items-center gap-2 py-0.5 pointer-coarse:py-2 text-sm">
          <input
            type="checkbox"
            name="scopes"
            value={scope}
            defaultChecked={scope === 'read'}
            className="size-4 shrink-0 accent-accent"
          />
          <span>
            {scopeWords[scope]} <code className="ml-1 text-ink-3 text-xs">{scope}</code>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
