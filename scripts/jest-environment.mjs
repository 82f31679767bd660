// Jest's Node environment with an ordinary global object. In Jest's own, every access to a global such as `Math` goes
// through an interceptor, which makes oracles three times as slow.
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

export default class extends TestEnvironment {
  /** @param {ConstructorParameters<typeof TestEnvironment>} parameters */
  constructor(...parameters) {
    const { createContext } = vm;
    // Older versions of Node lack this constant and make the usual context for `undefined`.
    vm.createContext = () => createContext(vm.constants?.DONT_CONTEXTIFY);
    try {
      super(...parameters);
    } finally {
      vm.createContext = createContext;
    }
  }
}
