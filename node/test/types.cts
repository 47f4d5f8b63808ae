// The same typings for CommonJS.

import api = require('mcp-working-set')

export const set: api.WorkingSet = api.WorkingSet.fromJson('{}')
