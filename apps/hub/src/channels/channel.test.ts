// The channels of this house, one line each, and one in memory that shows what belongs to none of them. A further channel is a
// folder beside `telegram` and a line here.
import { memoryService } from '../testing/channels/memory-service'
import { telegramService } from '../testing/channels/telegram-service'
import { channelSuite } from './channel.suite'

channelSuite('Telegram', telegramService)
channelSuite('a channel in memory', memoryService)
