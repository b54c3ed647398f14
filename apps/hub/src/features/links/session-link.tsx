'use client'
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useHub } from '../../live/hub-provider'
import { PlainText } from '../../ui/text/plain-text'

const FRESH_MS = 60_000

/** Leads to another session by its title, or by its id where the title can not be read. */
export function SessionLink({ sessionId }: { sessionId: string }) {
  const { rest } = useHub()
  const { data } = useQuery({
    queryKey: ['session-title', sessionId],
    queryFn: async () => (await rest.call('getSession', { id: { sessionId }, query: { limit: 1 } })).session.title,
    staleTime: FRESH_MS,
    retry: false,
  })
  return (
    <Link href={`/sessions/${sessionId}`} className="underline underline-offset-2 hover:text-ink" title={data}>
      <PlainText>{data ?? sessionId}</PlainText>
    </Link>
  )
}
