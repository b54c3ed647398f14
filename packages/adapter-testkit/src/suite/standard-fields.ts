/** The checks that hold for every backend which takes a field at all. What a backend does in its own way is in its harness. */
import { join } from 'node:path'
import type { SpawnOptions } from '@roundhouse/backend-types'
import { expect } from 'vitest'
import { allowAll } from '../rig/recorder'
import { contentOf, type Kit } from './kit'

export interface StandardField {
  /** Completes "SpawnOptions.<field> ...". */
  title: string
  check(kit: Kit): Promise<void>
}

export const standardFields: Partial<Record<keyof SpawnOptions, StandardField>> = {
  workDir: {
    title: 'is where the tools work',
    async check(kit) {
      const { otherDir } = await kit.bench()
      const file = join(otherDir, 'from-work-dir.txt')
      const prompt = kit.prompts.toolThatAsks(file, 'here', 'Done.')
      const recorder = await kit.start({ ...prompt.spawn, workDir: otherDir })
      expect(recorder.process.workDir).toBe(otherDir)
      await recorder.turn(prompt.text, allowAll)
      expect(contentOf(file)).toBe('here')
    },
  },
  resumeId: {
    title: 'goes on with that conversation',
    async check(kit) {
      const { recorder } = await kit.play(kit.prompts.text('Hello.'))
      const resumeId = recorder.all('session')[0]?.backendSessionId
      await recorder.adapter.stop(recorder.process)
      const again = await kit.start({ resumeId })
      expect(again.process.id).not.toBe(recorder.process.id)
      await again.turn(kit.prompts.text('Hello again.').text)
      expect(again.all('session').map(({ backendSessionId }) => backendSessionId)).toEqual([resumeId])
    },
  },
  newSessionId: {
    title: 'is the id of the new conversation',
    async check(kit) {
      const { adapter } = await kit.bench()
      const newSessionId = adapter.mintSessionId?.()
      expect(newSessionId).toBeDefined()
      const recorder = await kit.start({ newSessionId })
      await recorder.turn(kit.prompts.text('Hello.').text)
      expect(recorder.all('session').map(({ backendSessionId }) => backendSessionId)).toEqual([newSessionId])
    },
  },
  systemPrompt: {
    title: 'stands above the conversation',
    async check(kit) {
      const recorder = await kit.start({ systemPrompt: 'Always mention the lighthouse.' })
      await recorder.turn(kit.prompts.text('Hello.').text)
      const { system } = await (await kit.bench()).modelView()
      expect(system).toContain('Always mention the lighthouse.')
    },
  },
  model: {
    title: 'is the model that is asked',
    async check(kit) {
      const { code, seenAs } = kit.harness.otherModel
      const recorder = await kit.start({ model: code })
      await recorder.turn(kit.prompts.text('Hello.').text)
      expect((await (await kit.bench()).modelView()).model).toBe(seenAs)
    },
  },
  maxOutputTokens: {
    title: 'limits one answer',
    async check(kit) {
      const recorder = await kit.start({ maxOutputTokens: 4321 })
      await recorder.turn(kit.prompts.text('Hello.').text)
      expect((await (await kit.bench()).modelView()).maxOutputTokens).toBe(4321)
    },
  },
  env: {
    title: 'is in the environment of the tools',
    async check(kit) {
      const prompt = kit.prompts.printEnv('ROUNDHOUSE_TEST_COLOUR')
      const recorder = await kit.start({ ...prompt.spawn, env: { ROUNDHOUSE_TEST_COLOUR: 'vermilion' } })
      const turn = await recorder.turn(prompt.text, allowAll)
      expect(JSON.stringify(turn.outputs.filter(({ kind }) => kind === 'tool_result'))).toContain('vermilion')
    },
  },
  allowedTools: {
    title: 'run without asking',
    async check(kit) {
      const file = await kit.newFile()
      const prompt = kit.prompts.toolThatAsks(file, 'allowed', 'Done.')
      const { turn } = await kit.play({ ...prompt, spawn: { ...prompt.spawn, allowedTools: [prompt.toolName] } })
      expect(turn.asks).toEqual([])
      expect(contentOf(file)).toBe('allowed')
    },
  },
  disallowedTools: {
    title: 'do not run, whatever is answered',
    async check(kit) {
      const file = await kit.newFile()
      const prompt = kit.prompts.toolThatAsks(file, 'disallowed', 'Done.')
      await kit.play({ ...prompt, spawn: { ...prompt.spawn, disallowedTools: [prompt.toolName] } }, allowAll)
      expect(contentOf(file)).toBeUndefined()
    },
  },
}
