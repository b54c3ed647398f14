'use client'
import { type ApiTokenScope, toCodedError } from '@roundhouse/backend-types'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useHub } from '../../live/hub-provider'
import { useNow } from '../../live/use-now'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { lateDialog } from '../../ui/overlays/late-dialog'
import { PlainText } from '../../ui/text/plain-text'
import { agoWords, timeLeft } from '../../ui/text/time'
import { scopeWords } from './scope-words'
import type { TokenDialogProps } from './token-dialog'
import { useFactors } from './use-factors'

const TokenDialog = lateDialog<TokenDialogProps>(() => import('./token-dialog').then((module) => module.TokenDialog))

const isOfBus = (scope: ApiTokenScope) => scope === 'worker' || scope === 'orchestrator'

export function Tokens() {
  const hub = useHub()
  const now = useNow()
  const queries = useQueryClient()
  const { factors, error: noFactors } = useFactors()
  const [making, setMaking] = useState(false)
  const tokens = useQuery({ queryKey: ['tokens'], queryFn: () => hub.rest.tokens() })
  const remove = useMutation({
    mutationFn: (tokenId: string) => hub.rest.removeToken(tokenId),
    onSettled: () => queries.invalidateQueries({ queryKey: ['tokens'] }),
  })
  const refusal = tokens.error ?? remove.error
  const error = refusal ? toCodedError(refusal).toBody() : noFactors
  const items = tokens.data?.items ?? []
  return (
    <div className="space-y-3">
      <p className="text-ink-2 text-sm">
        Programs use a token instead of signing in. It can do what you choose, never more than you can, and never change
        your account.
      </p>
      {error ? <ErrorNotice error={error} /> : null}
      {items.length > 0 ? (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {items.map(({ tokenId, name, scopes, expiresAt, lastUsedAt }) => (
            <li key={tokenId} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-sm">
              <span className="min-w-0 flex-1 basis-40 [overflow-wrap:anywhere]">
                <PlainText>{name}</PlainText>
                {scopes.some(isOfBus) ? (
                  <span className="block text-ink-3 text-xs">
                    On the bus: <code className="select-all">p_{tokenId}</code>
                  </span>
                ) : null}
              </span>
              <span className="text-ink-2 text-xs">{scopes.map((scope) => scopeWords[scope]).join(', ')}</span>
              <span className="text-ink-3 text-xs tabular-nums">
                {lastUsedAt === null ? 'never used' : `used ${agoWords(lastUsedAt, now)}`},{' '}
                {expiresAt > now ? timeLeft(expiresAt - now) : 'expired'}
              </span>
              <Button size="sm" className="ml-auto" disabled={remove.isPending} onClick={() => remove.mutate(tokenId)}>
                Revoke
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      <Button disabled={!factors} onClick={() => setMaking(true)}>
        Create token
      </Button>
      {making ? <TokenDialog withCode={factors?.totp === true} onClose={() => setMaking(false)} /> : null}
    </div>
  )
}
