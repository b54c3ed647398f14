/** A list that is loaded while what it shows changes. The answer to an earlier question is not the last word. */
import type { Page, Request } from '@playwright/test'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'

const isList = (url: string) => url.endsWith('/api/v1/agents')

variation(
  '[VIEW-7.5] a machine that changes while the list of machines is on its way to the page is shown as it is',
  async ({ person, system }) => {
    const { page } = person
    const { rest, close } = await system.hub.client()
    const [machine] = (await rest.agents()).items
    const agentId = machine?.agentId ?? ''
    const told = toldOf(page)
    let asked = 0
    await page.route(
      (url) => isList(url.href),
      async (route) => {
        asked += 1
        if (asked > 1) return route.continue()
        const before = await route.fetch()
        await told.watching
        await rest.disableAgent(agentId)
        await told.change
        await route.fulfill({ response: before })
      },
    )
    await page.goto(`${system.hub.url}/agents`)
    await expect(page.getByText('Disabled')).toBeVisible()
    await rest.enableAgent(agentId)
    await expect(page.getByText('Connected', { exact: true })).toBeVisible()
    close()
  },
)

test('[VIEW-7.4] a machine that changes before the page hears of changes is shown as it is', async ({
  person,
  system,
}) => {
  const { page } = person
  const { rest, close } = await system.hub.client()
  const [machine] = (await rest.agents()).items
  const agentId = machine?.agentId ?? ''
  const mayWatch = moment()
  // Without those of the page before, which may end now.
  const unanswered = new Set<Request>()
  page.on('request', (request) => isList(request.url()) && unanswered.add(request))
  page.on('requestfinished', (request) => unanswered.delete(request))
  await page.routeWebSocket(/\/socket\.io\//, (socket) => {
    const hub = socket.connectToServer()
    socket.onMessage(async (frame) => {
      if (String(frame).includes('"watch.inbox"')) await mayWatch.came
      hub.send(frame)
    })
  })
  await page.goto(`${system.hub.url}/agents`)
  await expect(page.getByTestId('connection').first()).toHaveAttribute('data-state', 'live')
  await expect(page.getByText('Connected', { exact: true })).toBeVisible()
  await expect.poll(() => unanswered.size).toBe(0)
  await rest.disableAgent(agentId)
  mayWatch.comes()
  await expect(page.getByText('Disabled')).toBeVisible()
  await rest.enableAgent(agentId)
  await expect(page.getByText('Connected', { exact: true })).toBeVisible()
  close()
})

/** `watching`: the hub tells this page of changes from here on. `change`: it told of one. */
function toldOf(page: Page): { watching: Promise<void>; change: Promise<void> } {
  const [watching, change] = [moment(), moment()]
  page.on('websocket', (socket) => {
    let ask = ''
    socket.on('framesent', ({ payload }) => {
      ask ||= /^42\/viewer,(\d+)\["watch\.inbox"/.exec(String(payload))?.[1] ?? ''
    })
    socket.on('framereceived', ({ payload }) => {
      if (ask !== '' && String(payload).startsWith(`43/viewer,${ask}[`)) watching.comes()
      if (String(payload).includes('["agents",')) change.comes()
    })
  })
  return { watching: watching.came, change: change.came }
}

function moment(): { came: Promise<void>; comes: () => void } {
  let comes = () => {}
  const came = new Promise<void>((resolve) => {
    comes = resolve
  })
  return { came, comes: () => comes() }
}
