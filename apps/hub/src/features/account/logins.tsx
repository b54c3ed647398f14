'use client'
import { toCodedError } from '@roundhouse/backend-types'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useHub } from '../../live/hub-provider'
import { useNow } from '../../live/use-now'
import { Button } from '../../ui/forms/button'
import { ErrorNotice } from '../../ui/forms/notice'
import { agoWords } from '../../ui/text/time'

export function Logins() {
  const hub = useHub()
  const now = useNow()
  const queries = useQueryClient()
  const logins = useQuery({ queryKey: ['logins'], queryFn: () => hub.rest.logins() })
  const end = useMutation({
    mutationFn: (loginId: string) => hub.rest.endLogin(loginId),
    onSettled: () => queries.invalidateQueries({ queryKey: ['logins'] }),
  })
  const error = logins.error ?? end.error
  return (
    <>
      {error ? <ErrorNotice className="mb-2" error={toCodedError(error).toBody()} /> : null}
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {logins.data?.items.map(({ loginId, device, address, createdAt, current }) => (
          <li key={loginId} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-sm">
            <span className="min-w-0 flex-1 basis-40">{device}</span>
            <span className="text-ink-2 text-xs">{address}</span>
            <span className="text-ink-3 text-xs tabular-nums">signed in {agoWords(createdAt, now)}</span>
            {current ? (
              <span className="ml-auto text-done text-xs sm:px-2.5">This device</span>
            ) : (
              <Button size="sm" className="ml-auto" disabled={end.isPending} onClick={() => end.mutate(loginId)}>
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}
