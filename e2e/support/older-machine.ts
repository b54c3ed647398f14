/** Shows the page one more machine, `older`, like the first, whose agent is of before images. It takes no sessions. */
import type { Page } from '@playwright/test'
import { AgentsList } from '@roundhouse/backend-types'

export async function withOlderMachine(page: Page): Promise<void> {
  await page.route(
    (url) => url.pathname === '/api/v1/agents',
    async (route) => {
      const answer = await route.fetch()
      const { items } = AgentsList.parse(await answer.json())
      const [first] = items
      if (!first?.manifest) throw new Error('no machine with programs')
      const backends = first.manifest.backends.map((backend) => {
        const { acceptsImages: _, acceptsImagesAlone: __, ...capabilities } = backend.capabilities
        return { ...backend, capabilities }
      })
      const older = { ...first, agentId: 'agt_older', name: 'older', manifest: { ...first.manifest, backends } }
      await route.fulfill({ response: answer, json: { items: [...items, older] } })
    },
  )
}
