import type { BackendAdapter, BackendOutput, BackendProcess } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import type { RunningBackend } from '../program/program-runner'
import { OutputPump, type PumpPorts } from './output-pump'

it('an adapter without the optional members of the contract is heard by its output', () => {
  let print: (output: BackendOutput) => void = () => {}
  const onOutput: BackendAdapter['onOutput'] = (_process, handler) => {
    print = handler
  }
  const heard: BackendOutput[] = []
  const ports = {
    recorder: { output: (_running: unknown, output: BackendOutput) => void heard.push(output) },
    runner: { isCurrent: () => true },
    activity: () => {},
  }
  const running = { procId: 'p1', adapter: { type: 'plain', onOutput }, process: {} as BackendProcess }
  new OutputPump(ports as unknown as PumpPorts).attach(running as unknown as RunningBackend)
  print({ kind: 'assistant_text', text: 'Hello.' })
  expect(heard).toEqual([{ kind: 'assistant_text', text: 'Hello.' }])
})
