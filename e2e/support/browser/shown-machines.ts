/** Shows the page machines that do not exist, made from the first real one. */
import type { Page } from '@playwright/test'
import { AgentsList, type AgentView } from '@roundhouse/backend-types'

export async function withMachines(page: Page, more: (first: AgentView) => readonly AgentView[]): Promise<void> {
  await page.route(
    (url) => url.pathname === '/api/v1/agents',
    async (route) => {
      const answer = await route.fetch()
      const { items } = AgentsList.parse(await answer.json())
      const [first] = items
      if (!first?.manifest) throw new Error('no machine with programs')
      await route.fulfill({ response: answer, json: { items: [...items, ...more(first)] } })
    },
  )
}

/** Adds a machine `older`, whose agent does not support images. It takes no sessions. */
export const withOlderMachine = (page: Page) =>
  withMachines(page, (first) => {
    const { manifest } = first
    const backends = (manifest?.backends ?? []).map((backend) => {
      const { acceptsImages: _, acceptsImagesAlone: __, ...capabilities } = backend.capabilities
      return { ...backend, capabilities }
    })
    return [{ ...first, agentId: 'agt_older', name: 'older', manifest: manifest && { ...manifest, backends } }]
  })
