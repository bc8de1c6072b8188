/**
 * Version of the HTTP API and the feed, apart from the program's: the first number rises when a client has to change, the
 * second when something is added.
 */
export const CONTRACT_VERSION = '1.1'
