'use client'
/** Lets a session start others, or no more: what that permits, in plain words, and what all of them may cost. */
import type { SessionView, SpawningRequest } from '@roundhouse/backend-types'
import { treeLimits } from '@roundhouse/backend-types'
import { useMutation } from '@tanstack/react-query'
import { useHub } from '../../../live/hub-provider'
import { Button } from '../../../ui/forms/button'
import { Field } from '../../../ui/forms/field'
import { FormEnd } from '../../../ui/forms/form-end'
import { onForm, textIn } from '../../../ui/forms/on-form'
import { Dialog } from '../../../ui/overlays/dialog'
import { dollars } from '../../../ui/text/dollars'
import { PlainText } from '../../../ui/text/plain-text'
import { readBudget } from '../../sessions/new-session/more/tree-budget'

export interface SpawningDialogProps {
  view: SessionView
  onClose: () => void
}

export function SpawningDialog({ view: { sessionId, spawning }, onClose }: SpawningDialogProps) {
  const { rest } = useHub()
  const set = useMutation({
    mutationFn: (request: SpawningRequest) => rest.setSpawning(sessionId, request),
    onSuccess: onClose,
  })
  return (
    <Dialog open onOpenChange={onClose} title="Sessions that this one starts">
      <form onSubmit={onForm((form) => set.mutate({ on: true, ...readBudget(written(form)) }))} className="space-y-4">
        <p className="text-ink-2 text-sm">
          If you allow this, the program may start other sessions by itself, in your name, on every machine that you may
          use and as far as the policy of each machine goes. They have the sandbox, mode, rules and tools of this
          session, and ask you about what they do.
        </p>
        <p className="text-ink-2 text-sm">
          Each session starts at most {treeLimits.children} others, {treeLimits.depth} levels deep. All of them end when
          they have cost the budget, or when you lose the right to one of them.
        </p>
        {spawning ? (
          <p className="text-sm" data-testid="spawning-now">
            Allowed by <PlainText>{spawning.byName}</PlainText>. The turns of this tree have cost{' '}
            {dollars(spawning.costUsd)} and {spawning.tokens.toLocaleString()} tokens since then.
          </p>
        ) : null}
        <div className="grid gap-3 sm:grid-cols-2">
          <Field
            label="Budget in US dollars"
            name="budgetUsd"
            inputMode="decimal"
            defaultValue={spawning ? (spawning.budgetUsd ?? '') : 5}
            hint="For the whole tree."
          />
          <Field
            label="Budget in tokens"
            name="budgetTokens"
            inputMode="numeric"
            defaultValue={spawning?.budgetTokens ?? ''}
            hint="For programs that report no cost, such as Codex."
          />
        </div>
        {spawning ? (
          <Button disabled={set.isPending} onClick={() => set.mutate({ on: false })}>
            Let it start no more
          </Button>
        ) : null}
        <FormEnd
          action={spawning ? 'Change the budget' : 'Allow it'}
          error={set.error}
          busy={set.isPending}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  )
}

/** What is no amount goes as it is: the hub refuses it at its field. */
const written = (form: FormData) => ({ usd: textIn(form, 'budgetUsd'), tokens: textIn(form, 'budgetTokens') })
