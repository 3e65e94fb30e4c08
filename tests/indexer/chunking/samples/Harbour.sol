// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

error Lost(uint256 boat);
uint256 constant MOST_BOATS = 40;

interface IMoorable {
    function moor(uint256 berth) external returns (bool);
}

/// A harbour and its boats.
contract Harbour is IMoorable {
    struct Boat {
        string name;
    }
    enum Wind { North, South }

    mapping(uint256 => Boat) public boats;
    event Moored(uint256 indexed berth);

    modifier onlyPilot() {
        _;
    }

    constructor(address pilot) {
        emit Moored(0);
    }

    function moor(uint256 berth) external onlyPilot returns (bool) {
        uint256 local = MOST_BOATS - berth;
        return local > 0;
    }

    receive() external payable {}
}
