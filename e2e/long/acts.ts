/** What happens in a day of work with a program, one thing each: it is played, and resolves when the session rests again. */
import { rmSync } from 'node:fs'
import { until } from '../support/common/until'
import { askingStep, numbered, type RealBackend, toolThatRuns } from '../support/processes/backends'
import { scriptOf } from '../support/rigs/rig'
import { imageActs } from './image-acts'
import { REFUSED } from './people'
import { type Act, conversationOf, letGo, plays, rests, runProgram, type Stage } from './stage'

/** A command of the program, as a person types it. */
async function types({ session, rig, n }: Stage, text: string): Promise<void> {
  const before = session.of('turn_completed').length
  await rig.rest.prompt(session.sessionId, { promptId: `typed-${n}`, text })
  await session.turns(before + 1)
}

const says: Act = (stage) => plays(stage, { thinking: `Thought ${stage.n}.`, text: `Said ${stage.n}: ${numbered(30)}` })

const command: Act = (stage) =>
  plays(stage, askingStep(stage.kind, `echo out-${stage.n} > made-${stage.n}; cat made-${stage.n}`, 'Make'), {
    text: `Made ${stage.n}.`,
  })

const refused: Act = (stage) =>
  plays(stage, askingStep(stage.kind, `echo ${REFUSED}-${stage.n}`, 'Be refused'), { text: `Refused ${stage.n}.` })

/** Two at once, which ask when the turn that began them is over. */
const helpers: Act = async (stage) => {
  const { n, kind, session } = stage
  const names = [`a-${n}`, `b-${n}`]
  if (kind === 'claude') {
    const helper = (name: string) => ({
      name: 'Agent',
      input: {
        description: `helper ${name}`,
        subagent_type: 'general-purpose',
        run_in_background: true,
        prompt: scriptOf([
          { tool: 'Bash', input: { command: `echo ${name} > helper-${name}`, description: 'Write' } },
          { text: `Helper ${name} is done.` },
        ]),
      },
    })
    await session.plays({ tools: names.map(helper) }, { text: `Began helpers ${n}.` })
  } else {
    const helper = (name: string) => ({
      name: 'spawn_agent',
      namespace: 'multi_agent_v1',
      input: {
        message: scriptOf([
          askingStep(kind, `echo ${name} > helper-${name}`, 'Write'),
          { text: `Helper ${name} is done.` },
        ]),
      },
    })
    await session.plays({ tools: names.map(helper) }, { text: `Began helpers ${n}.` })
  }
  await until('the helpers to be done', () => names.every((name) => session.says(`Helper ${name} is done.`)))
  await rests(stage)
}

const background: Act = async (stage) => {
  const { n, kind } = stage
  const run = `sleep 2; echo late-${n}`
  const step =
    kind === 'claude'
      ? { tool: 'Bash', input: { command: run, description: 'Wait', run_in_background: true } }
      : {
          ...askingStep(kind, run, 'Wait'),
          input: { ...(askingStep(kind, run, 'Wait') as { input: object }).input, yield_time_ms: 300 },
        }
  await plays(stage, step, { text: `In the background ${n}.` })
}

const question: Act = (stage) => {
  const options = [
    { label: 'Red', description: 'warm' },
    { label: 'Blue', description: 'cold' },
  ]
  const asked = { question: `Which colour ${stage.n}?`, header: 'Colour', options }
  const step =
    stage.kind === 'claude'
      ? { tool: 'AskUserQuestion', input: { questions: [{ ...asked, multiSelect: false }] } }
      : { tool: 'request_user_input', input: { questions: [{ id: 'q1', ...asked }] } }
  return plays(stage, step, { text: `Thanks ${stage.n}.` })
}

const plan: Act = async (stage) => {
  const { n, rig, session } = stage
  await rig.rest.configure(session.sessionId, { mode: 'plan' })
  return plays(stage, { tool: 'ExitPlanMode', input: { plan: `# Plan ${n}\n\n1. Write.` } }, { text: `Planned ${n}.` })
}

/** A to-do list of the model's own, about which nobody is asked. */
const list: Act = (stage) => {
  const { n, kind } = stage
  const todo =
    kind === 'claude'
      ? { tool: 'TaskCreate', input: { subject: `First ${n}`, description: 'Write it.' } }
      : { tool: 'update_plan', input: { plan: [{ step: `First ${n}`, status: 'in_progress' }] } }
  return plays(stage, todo, { text: `Listed ${n}.` })
}

const server: Act = (stage) => {
  const input = { a: stage.n, b: 1 }
  const step =
    stage.kind === 'claude'
      ? { tool: 'mcp__sums__add', input }
      : { tools: [{ name: 'add', namespace: 'mcp__sums', input }] }
  return plays(stage, step, { text: `Added ${stage.n}.` })
}

const compaction: Act = async (stage) => {
  await types(stage, '/compact')
  await rests(stage)
}

const programDies: Act = async (stage) => {
  const { n, rig, session } = stage
  const words = `Cut ${n}: ${numbered(400)}`
  await rig.prompt(session.sessionId, [{ text: words, chunk: 12, delayMs: 20 }])
  await until('it to speak', async () => (await rig.rest.snapshot(session.sessionId, 1)).openBlocks.length > 0)
  await session.killProgram()
  await rests(stage)
}

const hostDies: Act = async (stage) => {
  const { kind, rig, session, n } = stage
  const file = `${rig.system.workDir}/running-${n}`
  const tool = toolThatRuns(kind, file)
  await rig.prompt(session.sessionId, [tool.step, { text: 'Never said.' }])
  await until('the command', tool.runs)
  await session.killHost()
  rmSync(`${file}.runs`, { force: true })
  await rests(stage)
}

/** Two turns in a terminal. */
const terminal: Act = async (stage) => {
  const { n } = stage
  await letGo(stage)
  for (const text of [`Terminal one ${n}.`, `Terminal two ${n}.`]) await inTerminal(stage, text)
  await plays(stage, { text: `After the terminal ${n}.` })
}

function inTerminal(stage: Stage, text: string): Promise<string> {
  const id = conversationOf(stage)
  const prompt = scriptOf([{ text }])
  const args =
    stage.kind === 'claude' ? ['--resume', id, '-p', prompt] : ['exec', '--skip-git-repo-check', 'resume', id, prompt]
  return runProgram(stage, args)
}

/** A terminal finds the new conversation once something was said in it. */
const cleared: Act = async (stage) => {
  await types(stage, stage.kind === 'claude' ? '/clear' : '/new')
  await plays(stage, { text: `New ${stage.n}.` })
}

const both = {
  ...{ says, command, refused, helpers, background, question, list, server },
  ...{ compaction, cleared, programDies, hostDies, terminal },
  ...imageActs,
}

export const actsOf = (kind: RealBackend): Record<string, Act> => (kind === 'claude' ? { ...both, plan } : both)
