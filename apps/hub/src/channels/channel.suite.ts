/** What every channel does, whatever its service: in sentences, through a chat and what the hub stores. `channel.test.ts` names the channels. */
import { describe } from 'vitest'
import type { ChatService } from '../testing/channels/chat-world'
import { decidingSuite } from './deciding.suite'
import { linkingSuite } from './linking.suite'
import { tellingSuite } from './telling.suite'

export function channelSuite(name: string, newService: () => Promise<ChatService>): void {
  describe(name, () => {
    linkingSuite(newService)
    tellingSuite(newService)
    decidingSuite(newService)
  })
}
