export { type Account, BotApi, type ShownMessage } from './bot-api'
