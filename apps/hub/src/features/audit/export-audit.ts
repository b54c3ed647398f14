/** The whole audit log as JSON lines, oldest first, and a last line with the head that the hub signed. */
import type { HubRest } from '@roundhouse/hub-client'

export async function exportAudit(rest: Pick<HubRest, 'auditPages'>): Promise<void> {
  const newestFirst: string[] = []
  let last = ''
  for await (const { items, state, signature } of rest.auditPages()) {
    last ||= JSON.stringify({ state, signature })
    newestFirst.push(...items.map((item) => JSON.stringify(item)))
  }
  save('audit.jsonl', [...newestFirst.reverse(), last, ''].join('\n'))
}

function save(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/jsonl' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
