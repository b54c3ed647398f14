'use client'
import { type ReadQuery, type SessionView, toCodedError } from '@roundhouse/backend-types'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useHub } from '../../../live/hub-provider'
import { ErrorNotice, Loading } from '../../../ui/forms/notice'
import { Dialog } from '../../../ui/overlays/dialog'
import { StatusBadge } from '../../../ui/status-badge'
import { PlainText } from '../../../ui/text/plain-text'
import { accountRows, serverWords } from './program-words'

export interface ProgramDialogProps {
  view: SessionView
  /** What the program is called. */
  name: string
  /** The queries that it answers. */
  queries: readonly string[]
  onClose: () => void
}

/** What the running program says of itself (CMD-11): its account, its MCP servers and its models. Asked when it is opened. */
export function ProgramDialog({ view, name, queries, onClose }: ProgramDialogProps) {
  const has = (method: ReadQuery) => queries.includes(method)
  return (
    <Dialog open onOpenChange={onClose} title={`About ${name}`} description="What the program says of itself now.">
      <div className="space-y-5 text-sm">
        {has('accountInfo') ? <Account view={view} /> : null}
        {has('mcpServerStatus') ? <Servers view={view} /> : null}
        {has('supportedModels') ? <Models view={view} /> : null}
      </div>
    </Dialog>
  )
}

function Account({ view }: { view: SessionView }) {
  const { data, error } = useSaid(view, 'accountInfo')
  const rows = data ? accountRows(data.result) : []
  return (
    <Part title="Account" error={error} known={data !== undefined}>
      {rows.length === 0 ? (
        <Nothing>The program reports no account.</Nothing>
      ) : (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          {rows.map(([label, value]) => (
            <div key={label} className="contents">
              <dt className="text-ink-3">{label}</dt>
              <dd className="min-w-0 [overflow-wrap:anywhere]">
                <PlainText>{value}</PlainText>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Part>
  )
}

function Servers({ view }: { view: SessionView }) {
  const { data, error } = useSaid(view, 'mcpServerStatus')
  const servers = data?.result ?? []
  return (
    <Part title="MCP servers" error={error} known={data !== undefined}>
      {servers.length === 0 ? (
        <Nothing>No MCP servers.</Nothing>
      ) : (
        <ul className="space-y-2">
          {servers.map((server) => {
            const { tone, label, detail } = serverWords(server)
            return (
              <li key={server.name} className="flex items-start justify-between gap-3">
                <span className="min-w-0 [overflow-wrap:anywhere]">
                  <PlainText>{server.name}</PlainText>
                  {detail ? (
                    <span className="block text-ink-3 text-xs">
                      <PlainText>{detail}</PlainText>
                    </span>
                  ) : null}
                </span>
                <StatusBadge tone={tone} label={label} />
              </li>
            )
          })}
        </ul>
      )}
    </Part>
  )
}

function Models({ view }: { view: SessionView }) {
  const { data, error } = useSaid(view, 'supportedModels')
  const models = data?.result ?? []
  return (
    <Part title="Models" error={error} known={data !== undefined}>
      {models.length === 0 ? (
        <Nothing>No models are listed.</Nothing>
      ) : (
        <ul className="space-y-2">
          {models.map(({ value, displayName, description }) => (
            <li key={value} className="[overflow-wrap:anywhere]">
              <span className="flex flex-wrap items-baseline gap-x-2">
                <PlainText>{displayName ?? value}</PlainText>
                {displayName && displayName !== value ? (
                  <code className="text-ink-3 text-xs">
                    <PlainText>{value}</PlainText>
                  </code>
                ) : null}
              </span>
              {description ? (
                <span className="block text-ink-3 text-xs">
                  <PlainText>{description}</PlainText>
                </span>
              ) : null}
            </li>
          ))}
        </ul>
      )}
    </Part>
  )
}

interface PartProps {
  title: string
  error: unknown
  known: boolean
  children: ReactNode
}

function Part({ title, error, known, children }: PartProps) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1.5 font-medium">{title}</h3>
      {error ? <ErrorNotice error={toCodedError(error).toBody()} /> : known ? children : <Loading>Asking…</Loading>}
    </section>
  )
}

const Nothing = ({ children }: { children: ReactNode }) => <p className="text-ink-3">{children}</p>

function useSaid<M extends ReadQuery>({ sessionId }: SessionView, method: M) {
  const { rest } = useHub()
  return useQuery({
    queryKey: ['program', sessionId, method],
    queryFn: () => rest.query<M>(sessionId, { method } as never),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
}
