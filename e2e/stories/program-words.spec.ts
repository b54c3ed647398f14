/** What the real programs say beside their answers, and what a session says of a terminal with the same conversation. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onBackend, test } from '../support/browser/story'
import { prompts, type RealBackend } from '../support/processes/backends'
import type { System } from '../support/processes/system'
import { scriptOf } from '../support/rigs/rig'
import { openTerminal } from '../support/rigs/terminal'
import { playedOn } from '../support/rigs/whole-matrix'

/** Two states of a to-do list. Claude Code gives its tools for that to models that know them. */
const lists = {
  claude: {
    model: { model: 'claude-sonnet-4-5' },
    steps: [
      { tool: 'TaskCreate', input: { subject: 'Read the code', description: 'All of it.' } },
      { tool: 'TaskCreate', input: { subject: 'Write a test', description: 'One.' } },
      { tool: 'TaskUpdate', input: { taskId: '1', status: 'completed' } },
    ],
  },
  codex: {
    model: {},
    steps: ['in_progress', 'completed'].map((status) => ({
      tool: 'update_plan',
      input: {
        plan: [
          { step: 'Read the code', status },
          { step: 'Write a test', status: 'pending' },
        ],
      },
    })),
  },
} satisfies Record<RealBackend, object>

/** Where sessions may bring servers of their own, and Codex has its list. Resolves to the file that names one that is not there. */
function withBrokenServer({ agent, around, workDir, kind }: System): string {
  if (kind === 'codex')
    appendFileSync(
      path.join(around.env.CODEX_HOME ?? '', 'config.toml'),
      '\n[tools]\nupdate_plan = { enabled = true }\n',
    )
  const policy = JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))
  agent.writePolicy({ ...policy, trustProjectConfig: true })
  const file = path.join(workDir, 'broken.json')
  writeFileSync(file, JSON.stringify({ mcpServers: { sums: { command: '/nowhere/sums', args: [] } } }))
  return file
}

for (const kind of playedOn('claude')) {
  onBackend(kind, () => {
    test('[LOG-1] a to-do list is a checklist, and an MCP server that did not start is named with the reason, also after a reload', async ({
      person,
      system,
    }) => {
      const { page, transcript } = person
      const mcpConfigPath = withBrokenServer(system)
      const { rest, close } = await system.hub.client()
      const [agent] = (await rest.agents()).items
      const { steps, model } = lists[kind]
      const { sessionId } = await rest.createSession({
        agentId: agent?.agentId ?? '',
        settings: { backend: kind, workDir: system.workDir, mcpConfigPath, ...model },
        prompt: scriptOf([...steps, { text: 'Listed.' }]),
      })
      close()
      await page.goto(`${system.hub.url}/sessions/${sessionId}`)
      const isTold = async () => {
        await expect(transcript.getByText('Listed.', { exact: true })).toBeVisible()
        const plan = transcript.getByRole('region', { name: 'Plan' })
        await expect(plan).toHaveCount(1)
        await expect(plan).toContainText('1 of 2')
        await expect(plan.getByRole('listitem')).toHaveText([/^Read the code.*completed$/, /^Write a test.*pending$/])
        await expect(transcript.getByText(/The MCP server sums did not start: .*(ENOENT|No such file)/)).toHaveCount(1)
      }
      await isTold()
      await page.reload()
      await page.setViewportSize({ width: 390, height: 844 })
      await isTold()
    })
  })
}

onBackend('codex', () => {
  test('[RES-9.14] a conversation that is open in a terminal is said to be, before the model is asked; then the prompt works', async ({
    person,
    system,
  }) => {
    const { page, transcript } = person
    const sessionId = await person.startSession(prompts.say('Here.'))
    await expect(person.turnEnds('completed')).toHaveCount(1)
    const { rest, close } = await system.hub.client()
    await rest.endProcess(sessionId)
    await expect(person.status).toContainText('Program stopped')
    const terminal = await openTerminal(system, sessionId)
    const calls = system.around.asked().length
    await person.send(prompts.say('Here again.'))
    const failed = person.turnEnds('failed')
    await expect(failed).toContainText(
      'This conversation is open in another Codex, in a terminal for example. End the other program, then send the prompt again.',
    )
    await expect(failed.getByText('End the other program')).toBeVisible()
    expect(system.around.asked()).toHaveLength(calls)
    await terminal.close()
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(transcript.getByTestId('assistant-text').last()).toHaveText('Here again.')
    close()
  })
})

onBackend('claude', () => {
  test('[RES-9.12] [RES-9.13] a terminal that goes on without the last answer makes two branches, and the page says so by itself', async ({
    person,
    system,
  }) => {
    const { page, transcript } = person
    const sessionId = await person.startSession(prompts.say('Here.'))
    await expect(person.turnEnds('completed')).toHaveCount(1)
    const terminal = await openTerminal(system, sessionId)
    try {
      await terminal.says('There.')
      await person.send(prompts.say('Here again.'))
      await expect(transcript.getByTestId('assistant-text')).toHaveText(['Here.', 'There.', 'Here again.'])
      const note = transcript.getByText(/continued elsewhere without the answer above, and has two branches now/)
      await expect(note).toHaveCount(0)
      await terminal.says('There again.')
      await expect(note).toBeVisible()
      await expect(transcript.getByTestId('assistant-text').last()).toHaveText('There again.')
      await page.setViewportSize({ width: 390, height: 844 })
      await page.reload()
      await expect(note).toBeVisible()
    } finally {
      await terminal.close()
    }
  })
})
