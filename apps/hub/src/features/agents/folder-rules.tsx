'use client'
import { type AgentView, type FolderRule, toCodedError } from '@roundhouse/backend-types'
import Link from 'next/link'
import { useBackendNames } from '../../live/backend-names'
import { useFolderRules, useRevokeRule } from '../../live/use-folder-rules'
import { useMay } from '../../live/use-me'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { PlainText } from '../../ui/text/plain-text'

const day = (at: number) => new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' })

/** What this machine allows without asking in its folders, who said so, and until when. Nothing where there are no rules. */
export function FolderRules({ agent: { agentId, online } }: { agent: AgentView }) {
  const rules = useFolderRules(agentId, { online })
  if (rules.length === 0) return null
  return (
    <section className="border-line border-t px-4 py-3" aria-label="Always allowed">
      <h3 className="mb-2 text-ink-3 text-xs">Always allowed, without asking</h3>
      <ul className="space-y-2">
        {rules.map((rule) => (
          <RuleLine key={rule.ruleId} rule={rule} agentId={agentId} />
        ))}
      </ul>
    </section>
  )
}

function RuleLine({ rule, agentId }: { rule: FolderRule; agentId: string }) {
  const { ruleId, label, folder, backend, author, sessionId, createdAt, expiresAt } = rule
  const nameBackend = useBackendNames()
  const mayRevoke = useMay('session.control')
  const revoke = useRevokeRule(agentId)
  return (
    <li className="text-sm" data-testid={`rule-${ruleId}`}>
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0 [overflow-wrap:anywhere]">
          <p className="first-letter:uppercase">
            <PlainText>{label}</PlainText>
          </p>
          <p className="text-ink-3 text-xs">
            For <PlainText>{nameBackend(backend, agentId)}</PlainText> in{' '}
            <span className="font-mono">
              <PlainText>{folder}</PlainText>
            </span>
            , until {day(expiresAt)}. By <PlainText>{author.name}</PlainText> on {day(createdAt)}, in{' '}
            <Link className="underline underline-offset-4" href={`/sessions/${encodeURIComponent(sessionId)}`}>
              this session
            </Link>
            .
          </p>
        </div>
        {mayRevoke ? (
          <Button
            size="sm"
            look="danger"
            disabled={revoke.isPending || revoke.isSuccess}
            onClick={() => revoke.mutate(rule)}
          >
            {revoke.isSuccess ? 'Revoking…' : 'Revoke'}
          </Button>
        ) : null}
      </div>
      {revoke.error ? (
        <>
          <ErrorNotice className="mt-2" error={toCodedError(revoke.error).toBody()} />
          <p className="mt-1 text-ink-3 text-xs">
            On that machine you can run: <code>roundhouse-agent rules revoke {ruleId}</code>
          </p>
        </>
      ) : null}
    </li>
  )
}
