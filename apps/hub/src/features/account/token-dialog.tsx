'use client'
import { ApiTokenScope } from '@roundhouse/backend-types'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { useHub } from '../../live/hub-provider'
import { Choice } from '../../ui/choice'
import { Dialog } from '../../ui/dialog'
import { Field } from '../../ui/field'
import { FormEnd } from '../../ui/form-end'
import { ShownLink } from '../people/shown-link'
import { scopeWords } from './scope-words'

export interface TokenDialogProps {
  onClose: () => void
}

const lives = [7, 30, 90, 365].map((days) => ({ value: String(days), label: `${days} days` }))

export function TokenDialog({ onClose }: TokenDialogProps) {
  const hub = useHub()
  const queries = useQueryClient()
  const make = useMutation({
    mutationFn: (form: FormData) =>
      hub.rest.makeToken({
        name: String(form.get('name')).trim(),
        scopes: ApiTokenScope.array().parse(form.getAll('scopes')),
        ttlDays: Number(form.get('days')),
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['tokens'] }),
  })
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    make.mutate(new FormData(event.currentTarget))
  }
  return (
    <Dialog open onOpenChange={onClose} title="A token for a program">
      {make.data ? (
        <ShownLink link={make.data.token} onDone={onClose}>
          Keep it where the program finds it. It is shown only now, and goes into the header “Authorization: Bearer”.
        </ShownLink>
      ) : (
        <form onSubmit={submit} className="space-y-4">
          <Field label="What it is for" name="name" required maxLength={100} />
          <fieldset>
            <legend className="mb-1 font-medium text-ink-2 text-sm">It may</legend>
            {ApiTokenScope.options.map((scope) => (
              <label key={scope} className="flex items-center gap-2 py-0.5 pointer-coarse:py-2 text-sm">
                <input
                  type="checkbox"
                  name="scopes"
                  value={scope}
                  defaultChecked={scope === 'read'}
                  className="size-4 accent-accent"
                />
                {scopeWords[scope]}
              </label>
            ))}
          </fieldset>
          <Choice label="For" name="days" defaultValue="30" options={lives} onChoose={() => {}} />
          <FormEnd action="Make it" error={make.error} busy={make.isPending} onCancel={onClose} />
        </form>
      )}
    </Dialog>
  )
}
