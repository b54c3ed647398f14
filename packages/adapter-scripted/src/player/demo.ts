/** What the player does with a prompt that carries no script: a short tour of everything a transcript can show. */
import type { Step } from '../script/script'

export const DEMO_FILE = 'roundhouse-demo.md'

/** `delayMs` is the pause between two pieces of streamed text. */
export function demoSteps(prompt: string, delayMs: number): Step[] {
  const wish = oneLine(prompt)
  const pace = { chunk: 12, delayMs }
  return [
    {
      ...pace,
      thinking: `The person wrote: "${wish}". I will look around first, say what I mean to do, and ask before I write.`,
    },
    { ...pace, text: opening(wish) },
    { plan: plan('in_progress', 'pending', 'pending') },
    {
      tool: 'Read',
      input: { file_path: 'README.md' },
      output: '# An empty workspace\n\nThere is no README yet.\n',
      sleep: delayMs * 10,
    },
    { plan: plan('completed', 'in_progress', 'pending') },
    {
      ...pace,
      text: `Next I would write \`${DEMO_FILE}\`. That changes your workspace, so it waits for your decision.`,
    },
    {
      tool: 'Write',
      input: { file_path: DEMO_FILE, content: demoFile(wish) },
      ask: 'It creates a file in the workspace',
    },
    { when: 'allowed', plan: plan('completed', 'completed', 'completed') },
    {
      ...pace,
      when: 'allowed',
      text: `Done. **${DEMO_FILE}** is in the workspace. Ask for anything else, or close this page: the session goes on without it.`,
    },
    {
      ...pace,
      when: 'denied',
      text: `Understood, I left the workspace as it was. {{reason}}Tell me what to do instead.`,
    },
  ]
}

/** The reason of a refusal takes the place of `{{reason}}`. */
export function withReason(text: string, reason: string | undefined): string {
  return text.replace('{{reason}}', () => (reason ? `You said: "${reason}". ` : ''))
}

export function demoDelay(env: Record<string, string | undefined>): number {
  const speed = Number(env.ROUNDHOUSE_SCRIPT_SPEED ?? 1)
  return speed > 0 ? Math.round(15 / speed) : 0
}

function plan(...statuses: Array<'pending' | 'in_progress' | 'completed'>) {
  const texts = ['Look at the workspace', `Write ${DEMO_FILE}`, 'Say what was done']
  return texts.map((text, index) => ({ text, status: statuses[index] ?? 'pending' }))
}

function opening(wish: string): string {
  return [
    `You asked: *${wish}*`,
    'I am the scripted demo: no model is behind me, but everything you see takes the same road as a real answer.',
    '- text streams in while it is written\n- a tool that only reads runs at once\n- a tool that changes something **asks first**',
    "```ts\nexport function greet(name: string): string {\n  return 'Hello, ' + name\n}\n```",
  ].join('\n\n')
}

function demoFile(wish: string): string {
  return `# Roundhouse demo\n\nWritten by the scripted backend after you allowed it.\n\nThe prompt was: ${wish}\n`
}

function oneLine(prompt: string): string {
  const line = prompt.trim().replace(/\s+/g, ' ')
  return line.length > 120 ? `${line.slice(0, 119)}…` : line || 'nothing in particular'
}
