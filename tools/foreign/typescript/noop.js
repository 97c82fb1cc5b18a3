// A KRM function with the TypeScript SDK of kpt that changes nothing.
require('kpt-functions').run(async () => {});
