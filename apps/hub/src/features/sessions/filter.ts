/** The filter of the session list, as it is in the address and in the hub's query. Pure. */

const names = ['text', 'status', 'agentId', 'backend'] as const
type Name = (typeof names)[number]
export type Filter = Partial<Record<Name, string>> & {
  /** `true`: runs alone; `false`: none of them; absent: both. */
  runs?: 'true' | 'false'
  archived: 'true' | 'false'
}

/** Empty values do not filter. Archived sessions are left out unless requested. */
export function filterOf(params: { get(name: string): string | null | undefined }): Filter {
  const given = names.flatMap((name) => {
    const value = params.get(name)
    return value ? [[name, value.slice(0, 200)] as const] : []
  })
  const runs = params.get('runs')
  return {
    ...Object.fromEntries(given),
    ...(runs === 'true' || runs === 'false' ? { runs } : {}),
    archived: params.get('archived') === 'true' ? 'true' : 'false',
  }
}

export function searchOf(filter: Filter): string {
  const params = new URLSearchParams()
  for (const name of names) if (filter[name]) params.set(name, filter[name])
  if (filter.runs) params.set('runs', filter.runs)
  if (filter.archived === 'true') params.set('archived', 'true')
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}
